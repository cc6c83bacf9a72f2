"""Drawn programs as one document each: text, Mermaid, dot, HTML; what models and pages said is escaped in each."""
