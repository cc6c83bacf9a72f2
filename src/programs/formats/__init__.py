"""Renderers of drawn programs as one document: text, Mermaid, dot, HTML. Each escapes texts of models and pages."""
