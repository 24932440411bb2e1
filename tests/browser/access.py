"""Checks the page for browsers with a keyboard and a screen reader: Chromium's accessibility tree, the Tab order, and
contrasts."""
import json

from page import PALE

CONTROLS = "button, select, input, textarea, [tabindex]"
# The expected roles of each kind of control, by WAI-ARIA in HTML. The figure is an application, because it handles the
# arrow keys.
ROLES = {"BUTTON": {"button", "tab"}, "SELECT": {"combobox"}, "TEXTAREA": {"textbox"}, "svg": {"application"}, "DIV": {"region"},
         "range": {"slider"}, "number": {"spinbutton"}, "checkbox": {"checkbox"}, "file": {"button"}, "text": {"textbox"}}

# Finds edges of controls, curves and focus outlines whose contrast with the background is below 3 (WCAG 1.4.11).
FAINT = """(() => {
  const parts = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => { const [r, g, b] = rgb.map(c => c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = item => { for (let at = item; at; at = at.parentElement) { const c = parts(getComputedStyle(at).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const faint = [];
  const check = (item, colour, what) => { const found = ratio(parts(colour).slice(0, 3), behind(item.parentElement));
    if (found < 3) faint.push(`${what} of ${item.id || item.className || item.tagName} ${found.toFixed(2)}`); };
  for (const item of document.querySelectorAll('button:not(:disabled), select, textarea, input:not([type=range], [type=checkbox])'))
    if (item.checkVisibility()) check(item, getComputedStyle(item).borderColor, 'edge');
  for (const item of document.querySelectorAll('figure svg g[stroke], .key line')) check(item.ownerSVGElement, getComputedStyle(item).stroke, 'line');
  const focus = document.createElement('span');
  focus.style.color = 'var(--focus)';
  for (const place of [document.body, ...document.querySelectorAll('.item')]) {
    place.append(focus);
    check(focus, getComputedStyle(focus).color, 'focus');
  }
  focus.remove();
  return faint; })()"""

# The index of the focused control among the controls, and whether its focus is visible.
FOCUS = f"""(() => {{ const item = document.activeElement, style = getComputedStyle(item);
  return [[...document.querySelectorAll({json.dumps(CONTROLS)})].indexOf(item), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2]; }})()"""


def property_of(node, name):
    return next((each["value"].get("value") for each in node.get("properties", []) if each["name"] == name), None)


class Access:
    def __init__(self, checks, browser):
        self.checks = checks
        self.browser = browser

    def tree(self):
        return [node for node in self.browser.ask("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]

    def announced(self):
        """The texts of live regions."""
        nodes = {node["nodeId"]: node for node in self.browser.ask("Accessibility.getFullAXTree")["nodes"]}

        def text(node):
            own = node["name"]["value"] if node.get("role", {}).get("value") == "StaticText" else ""
            return own + "".join(text(nodes[child]) for child in node.get("childIds", []) if child in nodes)

        return [text(node) for node in nodes.values() if property_of(node, "live") in ("polite", "assertive")]

    def settled(self):
        self.browser.wait("page.then(each => document.getElementById('compare-status').textContent !== '')", 120)

    def controls(self):
        """(index, kind, whether Tab reaches it, its HTML, its node of the tree or None) of each visible control."""
        shown = self.browser.run(f"""[...document.querySelectorAll({json.dumps(CONTROLS)})].map(item => [item.checkVisibility(),
            item.tagName === 'INPUT' ? item.type : item.tagName, item.tabIndex >= 0 && !item.disabled, item.outerHTML.slice(0, 90)])""")
        root = self.browser.ask("DOM.getDocument", depth=0)["root"]["nodeId"]
        ids = self.browser.ask("DOM.querySelectorAll", nodeId=root, selector=CONTROLS)["nodeIds"]
        tree = {node.get("backendDOMNodeId"): node for node in self.tree()}
        assert len(ids) == len(shown)
        for place, ((is_shown, kind, is_reached, text), node) in enumerate(zip(shown, ids)):
            if is_shown:
                yield place, kind, is_reached, text, tree.get(self.browser.ask("DOM.describeNode", nodeId=node)["node"]["backendNodeId"])

    def reached(self):
        """The indices of the controls that Tab reaches, in this order, and of those without a visible focus."""
        self.browser.run("document.activeElement.blur(), getSelection().removeAllRanges()")
        places, unseen = [], []
        for _ in range(300):
            self.browser.press("Tab", 9)
            place, is_seen = self.browser.run(FOCUS)
            if place < 0 or place in places:
                break
            places.append(place)
            unseen += [] if is_seen else [place]
        return places, unseen

    def tab(self, name):
        controls = list(self.controls())
        wrong = [f"{text}: {node and (node['role']['value'], node.get('name', {}).get('value'))}" for _, kind, _, text, node in controls
                 if not node or node["role"]["value"] not in ROLES[kind] or not node.get("name", {}).get("value", "").strip()]
        self.checks.that(len(controls) > 4 and not wrong, f"{len(controls)} controls of {name} have a role and a name {wrong}")
        names = [node["name"]["value"] for _, _, _, _, node in controls if node]
        twice = sorted({each for each in names if names.count(each) > 1})
        self.checks.that(not twice, f"no two controls of {name} have one name {twice}")
        wanted = [place for place, _, is_reached, _, _ in controls if is_reached]
        places, unseen = self.reached()
        self.checks.that(places == wanted, f"Tab reaches {len(places)} of {len(wanted)} controls of {name} in their order")
        self.checks.that(not unseen, f"the focus is visible on each control {[controls[each][3] for each in unseen if each < len(controls)]}")
        self.browser.run("document.querySelectorAll('.mirror').forEach(each => each.remove())")  # a transparent text that has the underlines
        for mode in ("light", "dark"):
            self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
            pale, faint = self.browser.run(PALE), self.browser.run(FAINT)
            self.checks.that(not pale and not faint, f"texts of {name} have a contrast of 4.5, edges and lines of 3 in {mode} mode {pale[:5]} {faint[:5]}")
        self.browser.ask("Emulation.setEmulatedMedia", features=[])

    def texts(self):
        """Checks what a screen reader reads for figures, sliders, results and errors."""
        self.checks.open(self.browser, "#tab=compare&bias=-n&scheme=rotary&length=300")
        self.settled()
        self.browser.run("new Promise(done => setTimeout(done, 500))")
        tree = self.tree()
        figures = {node["name"]["value"].split(",")[0]: node["name"]["value"] for node in tree if node["role"]["value"] == "application"}
        self.checks.that(len(figures) == 6 and all(" at " in each for each in figures.values()) and "-299 at n = 299" in figures["Bias by distance"],
                         f"{len(figures)} figures have their essential numbers as a text")
        told = self.browser.run("document.getElementById('length-slider').ariaValueText")
        self.checks.that(told == "300", f"the slider of the length, in powers of two, says the length: {told}")
        self.checks.that("The figures are up to date." in self.announced(), "the end of drawing is announced")
        self.browser.run("document.querySelector('#bias svg').focus()")
        self.browser.press("End", 35)
        self.checks.that(any("n = 299: " in each and "-299" in each for each in self.announced()), "the value under the cursor of the keyboard is announced")
        self.browser.run("document.querySelector('#items textarea').focus(), document.querySelector('#items textarea').select()")
        self.browser.ask("Input.insertText", text="foo(n")
        problem = "document.getElementById('problem-0').textContent"
        self.browser.wait(problem)
        self.checks.that(self.browser.run(problem) in self.announced(), f"the problem of a formula is announced: {self.browser.run(problem)[:60]}")
        field = next(node for node in self.tree() if node["role"]["value"] == "textbox" and node["name"]["value"] == "Formula 1")
        self.checks.that(property_of(field, "invalid") == "true", "its field is invalid")

    def tabs_told(self):
        self.checks.open(self.browser, "#tab=study")
        self.browser.wait("document.documentElement.dataset.study")
        self.checks.that(any(each.startswith("Exit status 1. ") for each in self.announced()), "the end of a study is announced")
        self.browser.run("page.then(each => { each.tabs.study.put('[quantity.a]\\nkind = \"valu\"\\n'); return each.tabs.study.run(); })")
        self.checks.that(any("'valu'" in each for each in self.announced()), "the problems of a study are announced")
        self.browser.run("document.querySelector('#study-editor textarea').focus()")
        self.browser.run("(field => field.setSelectionRange(field.value.length - 2, field.value.length - 2))(document.activeElement)")
        self.browser.ask("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, modifiers=2)
        options = [node["name"]["value"] for node in self.tree() if node["role"]["value"] == "option"]
        self.checks.that(any(each.startswith("value ") or each == "value" for each in options), f"completions are options {options[:2]}")
        self.browser.press("Escape", 27)
        self.browser.press("Tab", 9)
        self.checks.that(self.browser.run("document.activeElement.id") == "study-run", "Escape closes them, and Tab leaves the editor")
        self.checks.open(self.browser, "#tab=doctor")
        self.browser.wait("document.documentElement.dataset.doctor")
        status = self.browser.run("document.getElementById('doctor-status').textContent")
        self.checks.that(status and status in self.announced(), f"the end of a check is announced: {status}")

    def kept_focus(self):
        """The focus stays near after a change of the list of schemes."""
        self.checks.open(self.browser, "#tab=compare&bias=-w*n&params=w:1&scheme=rotary&length=300")
        self.browser.run("document.querySelector('#items input').focus(), document.activeElement.select()")
        self.browser.ask("Input.insertText", text="w:2, v:3")
        for _ in range(2):  # the next control is the button that removes the formula
            self.browser.press("Tab", 9)
        found = self.browser.run("[document.activeElement.type, document.activeElement.value, document.querySelectorAll('#items .item')[0].querySelectorAll('input[type=range]').length]")
        self.checks.that(found == ["range", "2", 2], f"from the parameters Tab goes to their first slider {found}")
        self.browser.run("document.querySelector('#items .remove').focus()")
        self.browser.press("Enter", 13, "\r")
        found = self.browser.run("[document.querySelectorAll('#items .item').length, document.activeElement.id]")
        self.checks.that(found == [1, "add-scheme"], f"after the removal of a scheme the focus is kept {found}")

    def check(self):
        for name in ("compare", "study", "doctor", "about"):
            self.checks.open(self.browser, f"#tab={name}" + ("&bias=-w*n&params=w:1&scheme=rotary&scheme=alibi&length=300" if name == "compare" else ""))
            if name == "compare":
                self.settled()
            elif name != "about":
                self.browser.wait(f"document.documentElement.dataset.{name}")
            self.tab(name)
        self.texts()
        self.tabs_told()
        self.kept_focus()
