// A figure of curves: zoom (wheel, drag, keys), values under the pointer, downloads as SVG and CSV.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Sets the attributes that differ: a drawing keeps its nodes from frame to frame. */
function put(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
}

function put_text(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** As many children of a group as there are items, the first ones kept; `set` makes each one show its item. */
function put_children(group, items, make, set) {
  while (group.childElementCount > items.length) group.lastElementChild.remove();
  while (group.childElementCount < items.length) group.append(make());
  items.forEach((item, i) => set(group.children[i], item));
}

const short = value => Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : Number(value.toPrecision(5)).toString();

/** About `count` round numbers from low to high. */
function ticks_of(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= raw);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9 && ticks.length < 50; ++i) ticks.push(i * step);
  return ticks;
}

/** The index of the first value that is at least x, of ascending values. */
function first_from(xs, x) {
  let low = 0, high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < x) low = middle + 1; else high = middle;
  }
  return low;
}

/** The path of a curve over [low, high]: each column of pixels has its last value, and its least and greatest
    if they are not its ends. Coordinates are tenths of a pixel. */
function path_of(x, y, view, width, height) {
  const [x_low, x_high, y_low, y_high] = view;
  const density = Math.max(1, globalThis.devicePixelRatio || 1);
  const across = width * density / (x_high - x_low), down = 10 * height / (y_high - y_low);
  let path = '', column = NaN, pen = 'M', first = 0, least = 0, greatest = 0, last = 0;
  const put_point = value => {
    const at = Math.max(-1e5, Math.min(1e5, Math.round(10 * height - (value - y_low) * down)));
    path += pen + Math.round(10 * column / density) + ' ' + at;
    pen = 'L';
  };
  const close = () => {
    if (Number.isNaN(column)) return;
    if (pen === 'M' && first !== last) put_point(first);
    if (least < first && least < last) put_point(least);
    if (greatest > first && greatest > last) put_point(greatest);
    put_point(last);
  };
  for (let i = Math.max(0, first_from(x, x_low) - 1); i < x.length; ++i) {
    const value = y[i];
    if (!Number.isFinite(value)) {
      close();
      column = NaN;
      pen = 'M';
      continue;
    }
    const at = Math.round((x[i] - x_low) * across);
    if (at !== column) {
      close();
      column = at;
      first = least = greatest = last = value;
    } else {
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      last = value;
    }
    if (x[i] > x_high) break;
  }
  close();
  return path;
}

function download(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

class Chart {
  /** x_text writes a value of the horizontal axis, '' where it has no tick; has_points marks each value of a curve. */
  constructor(place, { id, title, x_name, y_name, x_symbol = 'n', x_text = short, has_points = false, is_logarithmic = false }) {
    Object.assign(this, { id, title, x_name, y_name, x_symbol, x_text, has_points, is_logarithmic });
    this.curves = [];
    this.view = null;
    this.cursor = null;
    this.figure = document.createElement('figure');
    this.figure.className = 'chart';
    this.figure.id = id;
    this.figure.innerHTML = `<figcaption><h3 id="${id}-title"></h3><span class="tools">
      <label><input type="checkbox" class="logarithmic"> log</label>
      <button type="button" class="whole">Whole</button><button type="button" class="as-svg">SVG</button>
      <button type="button" class="as-csv">CSV</button></span></figcaption>`;
    this.figure.setAttribute('aria-labelledby', `${id}-title`);
    this.figure.querySelector('h3').textContent = title;
    for (const [name, text] of [['logarithmic', 'log scale'], ['whole', 'Whole'], ['as-svg', 'SVG'], ['as-csv', 'CSV']])
      this.figure.querySelector('.' + name).setAttribute('aria-label', `${text} of ${title}`);
    // An application: a screen reader leaves the keys to it, and reads its name, which has the essential numbers.
    this.drawing = svg('svg', { tabindex: 0, role: 'application', 'aria-roledescription': 'figure', 'aria-label': title, 'aria-describedby': 'figure-keys' });
    this.make_parts();
    this.values = document.createElement('p');
    this.values.className = 'values';
    this.values.setAttribute('aria-live', 'polite');
    this.figure.append(this.drawing, this.values);
    place.append(this.figure);
    this.listen();
  }

  /** What each drawing changes. Coordinates of curves are tenths of a pixel. */
  make_parts() {
    this.clip = svg('rect');
    this.border = svg('rect', { fill: 'none', stroke: 'currentColor', 'stroke-opacity': 0.35 });
    this.x_ticks = svg('g', { 'text-anchor': 'middle' });
    this.y_ticks = svg('g', { 'text-anchor': 'end' });
    this.x_title = svg('text', { 'text-anchor': 'middle' }, this.x_name);
    const axes = svg('g', { 'font-size': 11, fill: 'currentColor' }, this.border, this.x_ticks, this.y_ticks, this.x_title);
    this.lines = svg('g', { 'clip-path': `url(#${this.id}-clip)`, transform: 'scale(0.1)', fill: 'none', 'stroke-width': 16 });
    this.cross = svg('line', { y1: 0, stroke: 'currentColor', 'stroke-opacity': 0.5, visibility: 'hidden' });
    this.drawing.append(svg('g', { 'aria-hidden': 'true' }, svg('clipPath', { id: `${this.id}-clip` }, this.clip), axes, this.lines, this.cross));
  }

  listen() {
    const find = name => this.figure.querySelector('.' + name);
    const box = find('logarithmic');
    box.checked = this.is_logarithmic;
    box.addEventListener('change', () => { this.is_logarithmic = box.checked; this.view = null; this.draw(); });
    find('whole').addEventListener('click', () => this.show(null));
    find('as-svg').addEventListener('click', () => download(`${this.id}.svg`, this.svg_text(), 'image/svg+xml'));
    find('as-csv').addEventListener('click', () => download(`${this.id}.csv`, this.csv_text(), 'text/csv'));
    this.drawing.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.x_at(event));
    }, { passive: false });
    this.drawing.addEventListener('pointerdown', event => { this.drag_from = this.x_at(event); this.drawing.setPointerCapture(event.pointerId); });
    this.drawing.addEventListener('pointermove', event => { this.values.setAttribute('aria-live', 'off'); this.cursor = this.x_at(event); this.draw_cursor(); });
    this.drawing.addEventListener('pointerup', event => this.end_drag(this.x_at(event)));
    this.drawing.addEventListener('pointerleave', () => { this.cursor = null; this.draw_cursor(); });
    this.drawing.addEventListener('dblclick', () => this.show(null));
    this.drawing.addEventListener('keydown', event => this.press(event));
    // Asking for the width while drawing would lay out the whole page in each frame.
    new ResizeObserver(entries => { this.width = Math.floor(entries.at(-1).contentRect.width) - 2; this.draw(); }).observe(this.figure);
  }

  end_drag(to) {
    const from = this.drag_from;
    this.drag_from = null;
    const [low, high] = this.frame || [0, 1];
    if (from !== null && Math.abs(to - from) > (high - low) / 100) this.show([Math.min(from, to), Math.max(from, to)]);
  }

  press(event) {
    if (!this.frame) return;
    const [low, high] = this.frame;
    const middle = this.cursor === null ? (low + high) / 2 : this.cursor;
    const step = Math.max(1, (high - low) / 100) * (event.shiftKey ? 10 : 1);
    const acts = {
      ArrowLeft: () => { this.cursor = Math.max(low, middle - step); this.draw_cursor(); },
      ArrowRight: () => { this.cursor = Math.min(high, middle + step); this.draw_cursor(); },
      Home: () => { this.cursor = low; this.draw_cursor(); },
      End: () => { this.cursor = high; this.draw_cursor(); },
      '+': () => this.zoom(0.8, middle), '=': () => this.zoom(0.8, middle), '-': () => this.zoom(1.25, middle),
      '0': () => this.show(null), Escape: () => this.show(null),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.values.setAttribute('aria-live', 'polite');
    acts[event.key]();
  }

  x_at(event) {
    const box = this.drawing.getBoundingClientRect();
    const [low, high] = this.frame || [0, 1];
    const share = (event.clientX - box.left - this.margin.left) / (this.inner.width || 1);
    return low + (high - low) * Math.min(1, Math.max(0, share));
  }

  show(range) { this.view = range; this.draw(); }

  zoom(factor, around) {
    const [whole_low, whole_high] = this.extent();
    const [low, high] = this.frame;
    const next = [Math.max(whole_low, around - (around - low) * factor), Math.min(whole_high, around + (high - around) * factor)];
    if (next[1] - next[0] > 1e-6 * (whole_high - whole_low || 1)) this.show(next[0] <= whole_low && next[1] >= whole_high ? null : next);
  }

  /** curves: { name, colour, dash, x, y, words }; words, if there are any, say the values. Draws in the next frame if lines differ. */
  set(curves) {
    const before = this.curves;
    this.curves = curves.filter(curve => curve.x.length > 0);
    this.figure.hidden = this.curves.length === 0;
    const is_same = (a, b) => a.x === b.x && a.y === b.y && a.colour === b.colour && a.dash === b.dash;
    if (this.curves.length === before.length && this.curves.every((curve, i) => is_same(curve, before[i]))) this.tell();
    else if (!this.pending) this.pending = requestAnimationFrame(() => { this.pending = 0; this.draw(); });
  }

  /** Renews the texts, which say the names and the values of the curves; the name of the figure only after a pause. */
  tell() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => put(this.drawing, { 'aria-label': this.summary() }), 300);
    this.draw_cursor();
  }

  extent() {
    const low = Math.min(...this.curves.map(curve => curve.x[0]));
    const high = Math.max(...this.curves.map(curve => curve.x[curve.x.length - 1]));
    const room = this.has_points ? (high - low || 1) * 0.04 : 0;
    return [low - room, (high > low ? high : low + 1) + room];
  }

  /** The values of a curve as they are drawn: their logarithms on a logarithmic scale, which are kept. */
  drawn(curve) {
    if (!this.is_logarithmic) return curve.y;
    return curve.logarithms ||= curve.y.map(value => value > 0 ? Math.log10(value) : NaN);
  }

  heights([low, high]) {
    let least = Infinity, greatest = -Infinity;
    for (const curve of this.curves) {
      const y = this.drawn(curve);
      for (let i = first_from(curve.x, low); i < y.length && curve.x[i] <= high; ++i) {
        if (!Number.isFinite(y[i])) continue;
        if (y[i] < least) least = y[i];
        if (y[i] > greatest) greatest = y[i];
      }
    }
    if (least === Infinity) return [0, 1];
    if (this.is_logarithmic) least = Math.max(least, greatest - 12);
    const room = (greatest - least || Math.abs(greatest) || 1) * 0.04;
    return [least - room, greatest + room];
  }

  draw() {
    if (!this.curves.length || this.figure.hidden) return;
    const width = Math.max(260, this.width ?? this.figure.clientWidth - 2), height = Math.round(Math.min(300, Math.max(200, width * 0.5)));
    this.margin = { left: 58, right: 10, top: 8, bottom: 36 };
    this.inner = { width: width - this.margin.left - this.margin.right, height: height - this.margin.top - this.margin.bottom };
    this.frame = this.view || this.extent();
    this.box = [...this.frame, ...this.heights(this.frame)];
    put(this.drawing, { viewBox: `0 0 ${width} ${height}`, height });
    put(this.drawing.firstElementChild, { transform: `translate(${this.margin.left} ${this.margin.top})` });
    put(this.clip, { width: 10 * this.inner.width, height: 10 * this.inner.height });
    put(this.cross, { y2: this.inner.height });
    this.draw_axes();
    put_children(this.lines, this.curves, () => svg('g', {}, svg('path')), (group, curve) => this.draw_curve(group, curve));
    this.tell();
  }

  draw_curve(group, curve) {
    const { x, colour, dash } = curve, y = this.drawn(curve);
    put(group, { stroke: colour });
    put(group.firstElementChild, { 'stroke-dasharray': (dash || '').replace(/\d+/g, each => 10 * each) });
    group.firstElementChild.setAttribute('d', path_of(x, y, this.box, this.inner.width, this.inner.height));
    if (this.has_points) group.replaceChildren(group.firstElementChild, ...this.points(x, y, dash ? 'none' : colour));
  }

  points(x, y, fill) {
    const [x_low, x_high, y_low, y_high] = this.box, { width, height } = this.inner;
    const at = i => ({ cx: 10 * (x[i] - x_low) / (x_high - x_low) * width, cy: 10 * (height - (y[i] - y_low) / (y_high - y_low) * height) });
    return [...x.keys()].filter(i => Number.isFinite(y[i])).map(i => svg('circle', { ...at(i), r: 35, fill }));
  }

  /** A value of a curve as text, for the pointer and for those who do not see the figure. */
  static value_text({ y, words }, i) { return words ? words[i] : short(y[i]); }

  /** The essential numbers: every value of a short curve, else its ends and its extremes. */
  summary() {
    const place = (curve, i) => `${Chart.value_text(curve, i)} at ${this.x_symbol} = ${this.x_text(curve.x[i])}`;
    const told = this.curves.map(curve => {
      const kept = [...curve.y.keys()].filter(i => Number.isFinite(curve.y[i]));
      if (!kept.length) return `${curve.name}: no finite value`;
      const best = better => kept.reduce((a, b) => better(curve.y[b], curve.y[a]) ? b : a);
      const few = kept.length <= 9 ? kept : [...new Set([kept[0], best((a, b) => a < b), best((a, b) => a > b), kept.at(-1)])].sort((a, b) => a - b);
      return `${curve.name}: ${few.map(i => place(curve, i)).join(', ')}`;
    });
    return `${this.title}, ${this.y_name}. ${told.join('. ')}`;
  }

  draw_axes() {
    const [x_low, x_high, y_low, y_high] = this.box, { width, height } = this.inner;
    const show = (tick, { at, words }) => { put(tick, { transform: at }); put_text(tick.lastElementChild, words); };
    put(this.border, { width, height });
    put(this.x_title, { x: width / 2, y: height + 31 });
    const across = ticks_of(x_low, x_high, Math.max(this.has_points ? 5 : 3, width / 90)).filter(tick => !this.has_points || Number.isInteger(tick))
      .map(tick => ({ at: `translate(${(tick - x_low) / (x_high - x_low) * width} ${height})`, words: this.x_text(tick) })).filter(tick => tick.words);
    put_children(this.x_ticks, across, () => svg('g', {}, svg('line', { y2: 4, stroke: 'currentColor' }), svg('text', { y: 15 })), show);
    const up = ticks_of(y_low, y_high, 5).map(tick => ({
      at: `translate(0 ${height - (tick - y_low) / (y_high - y_low) * height})`, words: short(this.is_logarithmic ? 10 ** tick : tick) }));
    put_children(this.y_ticks, up, () => svg('g', {}, svg('line', { stroke: 'currentColor', 'stroke-opacity': 0.12 }), svg('text', { x: -6, y: 4 })), show);
    for (const tick of this.y_ticks.children) put(tick.firstElementChild, { x2: width });
  }

  /** The index of the point of a curve that is nearest to x. */
  static nearest(xs, x) {
    let low = 0, high = xs.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle; else high = middle;
    }
    return Math.abs(xs[low] - x) <= Math.abs(xs[high] - x) ? low : high;
  }

  draw_cursor() {
    const is_shown = this.cursor !== null && this.curves.length > 0 && this.box !== undefined;
    put(this.cross, { visibility: is_shown ? 'visible' : 'hidden' });
    if (!is_shown) {
      put_text(this.values, this.y_name);
      return;
    }
    const at = this.curves[0].x[Chart.nearest(this.curves[0].x, this.cursor)];
    const x = (at - this.box[0]) / (this.box[1] - this.box[0]) * this.inner.width;
    put(this.cross, { x1: x, x2: x });
    const named = this.curves.map(curve => `${curve.name} ${Chart.value_text(curve, Chart.nearest(curve.x, at))}`);
    put_text(this.values, `${this.x_symbol} = ${this.x_text(at)}: ${named.join(', ')}`);
  }

  /** The figure as a file: with its title, a legend, and colours of its own. */
  svg_text() {
    const copy = this.drawing.cloneNode(true);
    const [, , width, height] = copy.getAttribute('viewBox').split(' ').map(Number);
    const legend = this.curves.map(({ name, colour }, i) => svg('text', { x: 12, y: height + 16 * (i + 1), fill: colour, 'font-size': 12 }, name));
    const room = height + 16 * (this.curves.length + 1);
    copy.setAttribute('xmlns', SVG);
    copy.setAttribute('viewBox', `0 -22 ${width} ${room + 22}`);
    copy.setAttribute('width', width);
    copy.setAttribute('height', room + 22);
    copy.setAttribute('style', 'color:#222;background:#fff;font-family:sans-serif');
    copy.prepend(svg('text', { x: 12, y: -6, 'font-size': 14, fill: '#222' }, this.title));
    copy.append(...legend);
    return new XMLSerializer().serializeToString(copy);
  }

  csv_text() {
    const longest = this.curves.reduce((a, b) => a.x.length >= b.x.length ? a : b);
    const quoted = text => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    const rows = [[this.x_symbol, ...this.curves.map(curve => quoted(curve.name))].join(',')];
    for (let i = 0; i < longest.x.length; ++i) rows.push([this.x_text === short ? longest.x[i] : this.x_text(longest.x[i]), ...this.curves.map(({ y }) => i < y.length ? y[i] : '')].join(','));
    return rows.join('\n') + '\n';
  }
}
