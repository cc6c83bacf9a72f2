"""Rules answered by a walk find what XPath finds."""

from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml.etree import XPath  # type: ignore[import-untyped]
from lxml.html import Element, HtmlElement, document_fromstring, fromstring  # type: ignore[import-untyped]

from src.retrieval.pages.tree_rules import tree_rule

NAMESPACE = {"re": "http://exslt.org/regular-expressions"}
UNDERSTOOD = [
    ".//article",
    ".//*",
    "(.//article)[1]",
    ".//div[1]",
    ".//*[@class]",
    ".//*[@class='a']",
    ".//*[self::div or self::p][@id = 'a' or @class='b']",
    ".//p[contains(@class, 'b') or starts-with(@id, 'a')]",
    ".//*[self::p][re:test(@class, '^a|b$')]",
    ".//*[re:test(@class, 'A', 'i')]",
    ".//*[re:test(@id|@class, '^a')]",
    ".//*[contains(translate(@class, 'AB', 'ab'), 'ba')]",
    ".//*[contains(translate(@class, 'B', 'b'), 'B')]",
    ".//*[self::div][contains(@id, 'a')][1]",
    "(.//*[self::div or self::p][contains(@id, 'a')])[1]",
    ".//p|.//div[contains(@class|@id, 'a')]|.//*[re:test(@class, 'b') or @id='c']",
    ".//div[contains(@class, 'a')][not(.//p) or @id='b']",
]
NOT_UNDERSTOOD = [
    "//div",
    ".//div/p",
    ".//div[p]",
    ".//div[2]",
    ".//div[@id and @class]",
    ".//div[not(@id)]",
    ".//div[text()='a']",
    ".//div[contains(., 'a')]",
    ".//div[contains(translate(@id, 'AB', 'a'), 'a')]",
    "(.//div)[1]|(.//p)[1]",
]

values = st.text("abcABC ", max_size=4)
attributes = st.dictionaries(st.sampled_from(["id", "class", "role", "style"]), values, max_size=3)


@st.composite
def trees(draw: st.DrawFn) -> HtmlElement:
    """A tree of a few kinds of elements, each under any one before it."""
    elements = [Element("body")]
    for number in range(draw(st.integers(0, 12))):
        child = Element(draw(st.sampled_from(["div", "p", "article", "span"])), draw(attributes))
        elements[draw(st.integers(0, number))].append(child)
        elements.append(child)
    return elements[0]


def expression(path: str) -> XPath:
    return XPath(path, namespaces=NAMESPACE)


@pytest.mark.parametrize("path", UNDERSTOOD)
@settings(max_examples=50)
@given(tree=trees())
def test_the_same_elements_in_the_same_order(path: str, tree: HtmlElement) -> None:
    rule = tree_rule(expression(path))
    assert rule is not None
    assert rule(tree) == expression(path)(tree)


@pytest.mark.parametrize("path", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_left_alone(path: str) -> None:
    assert tree_rule(expression(path)) is None


def test_the_element_itself_is_not_among_those_under_it() -> None:
    tree = fromstring("<div class='a'><div class='a'>x</div></div>")
    rule = tree_rule(expression(".//div[@class='a']"))
    assert rule is not None
    assert rule(tree) == [tree[0]]


def test_names_that_only_html_knows_do_no_harm() -> None:
    tree = document_fromstring("<body><o:p class='a'>x</o:p><p a:b='c' class='a'>y</p><p class='&#1;a'>z</p></body>")
    rule, path = tree_rule(expression(".//*[contains(@class, 'a')]")), expression(".//*[contains(@class, 'a')]")
    assert rule is not None
    assert rule(tree) == path(tree)
    assert len(rule(tree)) == 3


def test_the_rules_of_trafilatura_that_cost_most_are_understood() -> None:
    rules = import_module("trafilatura.xpaths")
    for name in ("COMMENTS_XPATH", "RAW_TREE_PRUNE_XPATH", "OVERALL_DISCARD_XPATH"):
        assert [rule for rule in getattr(rules, name) if isinstance(rule, XPath) and tree_rule(rule) is None] == []
