// page.js - the script of a page: it shows one step of one case at a time.
//
// Texts from the user are inserted as text nodes only; pictures are assembled from parts that svg.lua has escaped.

"use strict";
(function () {
  var data = JSON.parse(document.getElementById("data").textContent);
  var at = { c: 0, s: 0 }, full = false;
  var shape = { arrangement: "wide", source: "beside", scale: 1 }; // how the case is shown, see choose_shape
  function el(id) { return document.getElementById(id); }
  function make(tag, name, text) {
    var e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function fill(parent, children) {
    parent.textContent = "";
    children.forEach(function (child) { parent.appendChild(child); });
  }
  function current() { return data.cases[at.c]; }
  function step() { return current().steps[at.s]; }

  // Words of the directive that a name begins with: X of X.a[0:3].
  function markedText(text, name) {
    var root = name && (name.match(/[A-Za-z_]\w*/) || [])[0], nodes = [];
    if (!root) return [document.createTextNode(text)];
    text.split(new RegExp("\\b(" + root + ")\\b")).forEach(function (part, i) {
      nodes.push(i % 2 ? make("mark", "", part) : document.createTextNode(part));
    });
    return nodes;
  }
  function showDirective(name) {
    var s = step(), text = s.title;
    var nodes = name ? markedText(text, name) : [document.createTextNode(text)];
    if (!name && s.error && s.error.from !== undefined) {
      nodes = [document.createTextNode(text.slice(0, s.error.from)),
        make("mark", "wrong", text.slice(s.error.from, s.error.to)),
        document.createTextNode(text.slice(s.error.to))];
    }
    fill(el("directive"), nodes);
  }
  function hover(row, name) {
    row.addEventListener("mouseenter", function () { showDirective(name); point(name, true); });
    row.addEventListener("mouseleave", function () { showDirective(); point(name, false); });
  }
  // Marks the boxes of an object's name.
  function point(name, on) {
    el("picture").querySelectorAll(".box").forEach(function (box) {
      if (box.dataset.name === name) box.classList.toggle("twin", on);
    });
  }

  // Chooses how a case is shown: device beside or below the host, source beside or below the picture, and the scale.
  // All steps of a case have one shape. The largest readable picture wins; a source beside it counts as half more.
  var LEAST = 0.66, LEAST_IN_HEIGHT = 0.8, MOST = innerWidth > 1700 ? 1.4 : 1.15;
  function choose_shape() {
    var main = el("scroll").closest("main"), style = getComputedStyle(main);
    var width = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    var top = el("scroll").getBoundingClientRect().top + scrollY, height = Math.max(innerHeight - top - 60, 260);
    var code = Math.min(Math.max(width * 0.32, 360), 640), best = 0;
    ["wide", "stacked"].forEach(function (arrangement) {
      var w = 1, h = 1;
      current().steps.forEach(function (s) {
        w = Math.max(w, s[arrangement].width);
        h = Math.max(h, s[arrangement].height);
      });
      ["beside", "below"].forEach(function (source) {
        if (source === "beside" && width < 900) return;
        var room = source === "beside" ? width - code - 16 : width;
        var scale = Math.min(MOST, room / w, Math.max(height / h, LEAST_IN_HEIGHT));
        var worth = Math.min(room / w, height / h, MOST);
        if (scale < LEAST) worth *= scale / LEAST; // a part is out of sight
        if (source === "beside") worth *= 1.5;
        if (arrangement === "wide") worth *= 1.05;
        if (worth > best) {
          best = worth;
          shape = { arrangement: arrangement, source: source, scale: Math.max(scale, 0.5), code: code, height: height };
        }
      });
    });
    var columns = document.querySelector(".columns");
    columns.classList.toggle("wide", shape.source === "below");
    document.querySelector(".code").style.width = shape.source === "beside" ? Math.round(shape.code) + "px" : "";
    el("source").style.maxHeight = shape.source === "beside" ? Math.max(320, Math.round(shape.height)) + "px" : "";
  }
  function texts(numbers) { return numbers.map(function (i) { return data.parts[i]; }).join(""); }
  function group(origin, numbers) {
    return '<g transform="translate(' + origin[0] + " " + origin[1] + ')">' + texts(numbers) + "</g>";
  }
  function showPicture() {
    var s = step(), svg = el("picture"), view = s[shape.arrangement];
    svg.setAttribute("viewBox", "0 0 " + view.width + " " + view.height);
    svg.removeAttribute("width");
    svg.innerHTML = texts(view.back) + group(view.host, s.host) + group(view.device, s.device) + texts(view.over);
    svg.setAttribute("aria-label", "host and device: " + s.title);
    el("left-out").textContent = s.left_out ? "Never on the device: " + s.left_out : "";
    svg.style.width = Math.round(view.width * (full ? MOST : shape.scale)) + "px";
    fill(el("legend"), s.marks.map(function (i) {
      var mark = data.legend[i], chip = make("li", "chip " + mark[0]);
      chip.appendChild(make("span", "sample", mark[1]));
      chip.appendChild(document.createTextNode(" " + mark[2]));
      return chip;
    }));
    hideMembers();
    // The pane of a picture that is much higher than the window scrolls, so that what an error is about is seen.
    var height = view.height * (full ? MOST : shape.scale), room = Math.max(360, shape.height);
    el("scroll").style.maxHeight = !full && height > 1.25 * room ? Math.round(room) + "px" : "";
    var wrong = svg.querySelector(".row.offending") || svg.querySelector(".box.offending");
    if (wrong) show_in(el("scroll"), wrong);
  }

  // The list of the objects in a group, beside its box.
  function hideMembers() { el("members").hidden = true; }
  function showMembers(box) {
    var panel = el("members"), names = box.dataset.names.split("\n"), list = make("ul");
    names.forEach(function (name) { list.appendChild(make("li", "", name)); });
    var note = box.querySelector(".note"), close = make("button", "", "close");
    close.type = "button";
    close.addEventListener("click", hideMembers);
    fill(panel, [make("strong", "", note ? note.textContent : ""), close, list]);
    var more = parseInt(note ? note.textContent : "0", 10) - names.length;
    if (more > 0) panel.appendChild(make("p", "quiet", "and " + more + " more"));
    panel.hidden = false;
    var where = box.getBoundingClientRect(), own = panel.getBoundingClientRect();
    panel.style.left = Math.max(8, Math.min(where.left, innerWidth - own.width - 8)) + scrollX + "px";
    panel.style.top = Math.max(8, Math.min(where.bottom + 4, innerHeight - own.height - 8)) + scrollY + "px";
    close.focus();
  }
  // Scrolls a pane so far that an element of it is seen.
  function show_in(pane, element) {
    var outer = pane.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.left < outer.left || inner.right > outer.right) {
      pane.scrollLeft += inner.left - outer.left - (pane.clientWidth - inner.width) / 2;
    }
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      pane.scrollTop += inner.top - outer.top - (pane.clientHeight - inner.height) / 2;
    }
  }

  function showError() {
    var e = step().error, box = el("error");
    box.hidden = !e;
    if (!e) return;
    var parts = [make("strong", "", (e.level || "error") + "[" + e.code + "]"),
      document.createTextNode(" " + e.message)];
    if (e.snippet) parts.push(make("pre", "", e.snippet));
    (e.lines || []).forEach(function (line) { parts.push(make("div", "", line)); });
    if (e.rule) { var d = make("div", "", "rule: "); d.appendChild(rule(e.rule)); parts.push(d); }
    if (e.help) parts.push(make("div", "", "help: " + e.help));
    fill(box, parts);
  }

  function rule(id) {
    var r = make("abbr", "rule", id);
    r.title = data.rules[id] || id;
    r.tabIndex = 0;
    return r;
  }

  function table(head, rows, more, cell) {
    var t = make("table"), h = t.createTHead().insertRow();
    head.forEach(function (name) { var th = make("th", "", name); th.scope = "col"; h.appendChild(th); });
    var body = t.createTBody();
    rows.forEach(function (row) {
      var tr = body.insertRow();
      row.forEach(function (value, i) {
        var td = tr.insertCell();
        if (typeof value === "number") td.className = "number";
        if (cell && cell(td, value, i)) return;
        td.textContent = value;
      });
      hover(tr, String(row[head.name || 0]));
    });
    var list = [t];
    if (more) list.push(make("p", "quiet", "and " + more + " more"));
    return list;
  }
  function section(id, nodes) { fill(el(id), nodes.length ? nodes : [make("p", "quiet", "none")]); }

  function showTables() {
    var t = data.tables[step().tables], e = step().events;
    var head = ["what", "object", "bytes", "rule"];
    head.name = 1;
    section("events", e.rows.length ? table(head, e.rows, e.more, function (td, value, i) {
      if (i === 0) td.className = "op " + value;
      if (i !== 3 || !value) return false;
      td.appendChild(rule(value));
      return true;
    }) : []);
    section("present", t.present.length ? table(t.head, t.present, t.present_more) : []);
    section("attached", t.attached.length ? table(["pointer", "points to", "counter"], t.attached,
      t.attached_more) : []);
    section("levels", t.levels.map(function (level, i) {
      var d = make("div", "level"), list = make("ul");
      d.appendChild(make("strong", "", (i + 1) + "  " + level.title));
      level.parts.forEach(function (part) { list.appendChild(make("li", "", part)); });
      d.appendChild(list);
      return d;
    }));
  }

  var lines = [], shown = -1; // lines of the source that is shown, and its number
  // Shows the lines of the source of the step, if it is another one.
  function chooseSource() {
    var number = step().source || 0;
    if (number === shown) return;
    shown = number;
    lines = data.sources[number].lines.map(function (text, i) {
      var line = make("li", "", text || " ");
      line.addEventListener("click", function () { goToLine(i + 1); });
      return line;
    });
    fill(el("source"), lines);
    document.querySelector(".code").setAttribute("aria-label", "source of " + data.sources[number].name);
    nameLines();
  }
  function showSource() {
    var s = step(), list = el("source");
    chooseSource();
    lines.forEach(function (line) { line.classList.remove("now", "wrong"); line.removeAttribute("aria-current"); });
    for (var i = s.line; s.line && i <= s.last; i++) {
      if (!lines[i - 1]) continue;
      lines[i - 1].classList.add("now");
      lines[i - 1].classList.toggle("wrong", !!s.error);
      lines[i - 1].setAttribute("aria-current", "step");
    }
    var here = lines[(s.line || 1) - 1];
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 3; // the pane is the line's offset parent
  }
  // Steps of the current case at a line, and what a click on the line does: it goes to the next one of them.
  function stepsAt(number) {
    var found = [];
    current().steps.forEach(function (s, i) { if ((s.source || 0) === shown && s.line && s.line <= number && number <= s.last) found.push(i); });
    return found;
  }
  function nameLines() {
    lines.forEach(function (line, i) {
      var found = stepsAt(i + 1);
      line.classList.toggle("step", found.length > 0);
      line.title = found.length ? (found.length > 1 ? "steps " : "step ")
        + found.slice(0, 8).map(function (s) { return s + 1; }).join(", ") + (found.length > 8 ? ", ..." : "") : "";
    });
  }
  function goToLine(number) {
    var found = stepsAt(number), later = found.filter(function (s) { return s > at.s; });
    if (found.length) go(later.length ? later[0] : found[0]);
  }
  function nameOf(i) { return "step " + (i + 1) + ": " + current().steps[i].title; }

  function show() {
    var c = current(), n = c.steps.length, slider = el("slider");
    at.s = Math.max(0, Math.min(at.s, n - 1));
    slider.max = n - 1;
    slider.value = at.s;
    var label = "step " + (at.s + 1) + " of " + n;
    if (c.dropped && at.s === n - 1) label += " (" + c.dropped + " before it are left out)";
    slider.setAttribute("aria-valuetext", label + ": " + step().title);
    el("count").textContent = label;
    el("place").textContent = step().line
      ? data.sources[step().source || 0].name + ":" + step().line + (step().callers ? ", called from " + step().callers : "") : "";
    el("case").value = at.c;
    el("first").disabled = el("back").disabled = at.s === 0;
    el("last").disabled = el("next").disabled = at.s === n - 1;
    showDirective();
    showError();
    showPicture();
    showTables();
    showSource();
    history.replaceState(null, "", "#case=" + (at.c + 1) + "&step=" + (at.s + 1));
  }
  function go(s) { at.s = s; show(); }
  function choose(c) {
    at.c = Math.max(0, Math.min(c || 0, data.cases.length - 1));
    var n = current().steps.length;
    fill(el("ticks"), current().steps.map(function (s, i) {
      if (!s.error && n > 60) return null;
      var b = make("button", s.error ? "tick wrong" : "tick");
      b.style.left = "calc(8px + " + (n > 1 ? i / (n - 1) : 0) + " * (100% - 16px))";
      b.title = nameOf(i) + (s.error ? ": " + s.error.code : "");
      b.setAttribute("aria-label", b.title);
      if (!s.error) b.tabIndex = -1;
      b.addEventListener("click", function () { go(i); });
      return b;
    }).filter(Boolean));
    el("rules").textContent = current().rules ? "rules: " + current().rules : "";
    shown = -1;
  }
  // Shows the current step and, of another case or in another window, chooses how.
  function reshape() { show(); choose_shape(); showPicture(); showSource(); }
  function fromHash() {
    var c = /case=(\d+)/.exec(location.hash), s = /step=(\d+)/.exec(location.hash);
    choose(c ? c[1] - 1 : data.start.case);
    at.s = s ? s[1] - 1 : at.c === data.start.case ? data.start.step : current().opens;
    reshape();
  }

  document.documentElement.classList.remove("static");
  el("cases").hidden = data.cases.length < 2;
  data.cases.forEach(function (c, i) {
    var o = make("option", "", (i + 1) + ". " + (c.ok ? "" : "FAIL ") + c.name);
    o.value = i;
    el("case").appendChild(o);
  });
  el("case").addEventListener("change", function () { choose(+this.value); at.s = current().opens; reshape(); });
  el("slider").addEventListener("input", function () { go(+this.value); });
  el("first").addEventListener("click", function () { go(0); });
  el("back").addEventListener("click", function () { go(at.s - 1); });
  el("next").addEventListener("click", function () { go(at.s + 1); });
  el("last").addEventListener("click", function () { go(current().steps.length - 1); });
  el("size").addEventListener("click", function () {
    full = !full;
    this.setAttribute("aria-pressed", full);
    showPicture();
  });
  // The name of the step below the mouse.
  el("slider").addEventListener("mousemove", function (event) {
    var box = this.getBoundingClientRect(), n = current().steps.length, bubble = el("bubble");
    var i = Math.round((event.clientX - box.left - 8) / Math.max(box.width - 16, 1) * (n - 1));
    bubble.textContent = nameOf(Math.max(0, Math.min(i, n - 1)));
    bubble.hidden = false;
    var left = Math.min(event.clientX - box.left, box.width - bubble.offsetWidth);
    bubble.style.left = Math.max(0, left) + "px";
  });
  el("slider").addEventListener("mouseleave", function () { el("bubble").hidden = true; });
  el("help").addEventListener("click", function () { el("keys").showModal(); });
  el("theme").addEventListener("click", function () {
    var root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  el("picture").addEventListener("mouseover", function (event) {
    var box = event.target.closest(".box"), id = box && (box.dataset.twin || box.dataset.id);
    this.querySelectorAll(".box").forEach(function (other) {
      other.classList.toggle("twin", !!box && other !== box && (other.dataset.twin || other.dataset.id) === id);
    });
  });
  el("picture").addEventListener("click", function (event) {
    var box = event.target.closest(".box");
    if (box && box.dataset.names) showMembers(box);
  });
  document.addEventListener("click", function (event) {
    if (!event.target.closest("#members, .group.box")) hideMembers();
  });
  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT" || el("keys").open) return;
    var last = current().steps.length - 1, box = event.target.closest && event.target.closest(".box");
    if (event.key === "Escape") hideMembers();
    if (event.key === "Enter" && box && box.dataset.names) showMembers(box);
    if (event.key === "?") el("keys").showModal();
    if (event.key === "f") el("size").click();
    if (event.key === "!") {
      for (var i = 1; i <= last + 1; i++) {
        var next = (at.s + i) % (last + 1);
        if (current().steps[next].error) { go(next); break; }
      }
    }
    var to = { ArrowLeft: at.s - 1, ArrowRight: at.s + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to <= last) go(to);
  });
  window.addEventListener("hashchange", fromHash);
  window.addEventListener("resize", function () { choose_shape(); showPicture(); });
  fromHash();
})();
