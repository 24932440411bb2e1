// A figure of curves: zoom (wheel, drag, keys), values under the pointer, downloads as SVG and CSV.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
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

/** The path of a curve over [low, high]: each column of pixels has its first, least, greatest and last value. */
function path_of(x, y, view, width, height) {
  const [x_low, x_high, y_low, y_high] = view;
  const across = width / (x_high - x_low), down = height / (y_high - y_low);
  const parts = [];
  let column = -1, pen = 'M', least, greatest, last;
  const put = value => {
    const at = Math.max(-1e4, Math.min(1e4, height - (value - y_low) * down));
    parts.push(pen + column.toFixed(1) + ' ' + at.toFixed(2));
    pen = 'L';
  };
  const close = () => {
    if (column < 0 || least === undefined) return;
    if (least !== last) put(least);
    if (greatest !== least) put(greatest);
    if (last !== greatest || least === last) put(last);
  };
  let begin = 0;
  while (begin < x.length && x[begin] < x_low) ++begin;
  for (let i = Math.max(0, begin - 1); i < x.length; ++i) {
    const value = y[i];
    if (!Number.isFinite(value)) {
      close();
      column = -1;
      least = undefined;
      pen = 'M';
      continue;
    }
    const at = Math.round((x[i] - x_low) * across * 2) / 2;
    if (at !== column || least === undefined) {
      close();
      column = at;
      least = greatest = last = value;
    } else {
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
      last = value;
    }
    if (x[i] > x_high) break;
  }
  close();
  return parts.join('');
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
    this.figure.querySelector('h3').textContent = title;
    this.drawing = svg('svg', { tabindex: 0, role: 'img', 'aria-label': title });
    this.values = document.createElement('p');
    this.values.className = 'values';
    this.values.setAttribute('aria-live', 'polite');
    this.figure.append(this.drawing, this.values);
    place.append(this.figure);
    this.listen();
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
    this.drawing.addEventListener('pointermove', event => { this.cursor = this.x_at(event); this.draw_cursor(); });
    this.drawing.addEventListener('pointerup', event => this.end_drag(this.x_at(event)));
    this.drawing.addEventListener('pointerleave', () => { this.cursor = null; this.draw_cursor(); });
    this.drawing.addEventListener('dblclick', () => this.show(null));
    this.drawing.addEventListener('keydown', event => this.press(event));
    new ResizeObserver(() => this.draw()).observe(this.figure);
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

  /** curves: { name, colour, dash, x, y, words }; words, if there are any, say the values. */
  set(curves) {
    this.curves = curves.filter(curve => curve.x.length > 0);
    this.figure.hidden = this.curves.length === 0;
    if (!this.pending) this.pending = requestAnimationFrame(() => { this.pending = 0; this.draw(); });
  }

  extent() {
    const low = Math.min(...this.curves.map(curve => curve.x[0]));
    const high = Math.max(...this.curves.map(curve => curve.x[curve.x.length - 1]));
    const room = this.has_points ? (high - low || 1) * 0.04 : 0;
    return [low - room, (high > low ? high : low + 1) + room];
  }

  shown(value) { return this.is_logarithmic ? (value > 0 ? Math.log10(value) : NaN) : value; }

  heights([low, high]) {
    let least = Infinity, greatest = -Infinity;
    for (const { x, y } of this.curves) {
      for (let i = 0; i < x.length; ++i) {
        if (x[i] < low || x[i] > high) continue;
        const value = this.shown(y[i]);
        if (!Number.isFinite(value)) continue;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
    }
    if (least === Infinity) return [0, 1];
    if (this.is_logarithmic) least = Math.max(least, greatest - 12);
    const room = (greatest - least || Math.abs(greatest) || 1) * 0.04;
    return [least - room, greatest + room];
  }

  draw() {
    if (!this.curves.length || this.figure.hidden) return;
    const width = Math.max(260, this.figure.clientWidth - 2), height = Math.round(Math.min(300, Math.max(200, width * 0.5)));
    this.margin = { left: 58, right: 10, top: 8, bottom: 36 };
    this.inner = { width: width - this.margin.left - this.margin.right, height: height - this.margin.top - this.margin.bottom };
    this.frame = this.view || this.extent();
    const [y_low, y_high] = this.heights(this.frame);
    this.box = [...this.frame, y_low, y_high];
    const plot = svg('g', { transform: `translate(${this.margin.left} ${this.margin.top})` });
    plot.append(...this.axes());
    const clip = svg('clipPath', { id: `${this.id}-clip` }, svg('rect', { width: this.inner.width, height: this.inner.height }));
    const lines = svg('g', { 'clip-path': `url(#${this.id}-clip)`, fill: 'none', 'stroke-width': 1.6 });
    for (const { x, y, colour, dash } of this.curves) {
      const shown = this.is_logarithmic ? y.map(value => this.shown(value)) : y;
      lines.append(svg('path', { d: path_of(x, shown, this.box, this.inner.width, this.inner.height), stroke: colour, 'stroke-dasharray': dash || '' }));
      if (this.has_points) lines.append(...this.points(x, shown, colour, Boolean(dash)));
    }
    this.cross = svg('line', { y1: 0, y2: this.inner.height, stroke: 'currentColor', 'stroke-opacity': 0.5, visibility: 'hidden' });
    plot.append(clip, lines, this.cross);
    this.drawing.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.drawing.setAttribute('height', height);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.drawing.setAttribute('aria-label', this.summary()), 300);
    this.drawing.replaceChildren(plot);
    this.draw_cursor();
  }

  points(x, y, colour, is_hollow) {
    const [x_low, x_high, y_low, y_high] = this.box, { width, height } = this.inner;
    const at = i => ({ cx: (x[i] - x_low) / (x_high - x_low) * width, cy: height - (y[i] - y_low) / (y_high - y_low) * height });
    return [...x.keys()].filter(i => Number.isFinite(y[i]))
      .map(i => svg('circle', { ...at(i), r: 3.5, stroke: colour, fill: is_hollow ? 'none' : colour }));
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

  axes() {
    const [x_low, x_high, y_low, y_high] = this.box, { width, height } = this.inner;
    const text = (x, y, anchor, words) => svg('text', { x, y, 'text-anchor': anchor, 'font-size': 11, fill: 'currentColor' }, words);
    const parts = [svg('rect', { width, height, fill: 'none', stroke: 'currentColor', 'stroke-opacity': 0.35 })];
    for (const tick of ticks_of(x_low, x_high, Math.max(this.has_points ? 5 : 3, width / 90))) {
      if (this.has_points && !Number.isInteger(tick)) continue;
      const x = (tick - x_low) / (x_high - x_low) * width, words = this.x_text(tick);
      if (words) parts.push(svg('line', { x1: x, x2: x, y1: height, y2: height + 4, stroke: 'currentColor' }), text(x, height + 15, 'middle', words));
    }
    for (const tick of ticks_of(y_low, y_high, 5)) {
      const y = height - (tick - y_low) / (y_high - y_low) * height;
      const words = this.is_logarithmic ? short(10 ** tick) : short(tick);
      parts.push(svg('line', { x1: 0, x2: width, y1: y, y2: y, stroke: 'currentColor', 'stroke-opacity': 0.12 }), text(-6, y + 4, 'end', words));
    }
    parts.push(text(width / 2, height + 31, 'middle', this.x_name));
    return parts;
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
    if (!this.cross) return;
    const is_shown = this.cursor !== null && this.curves.length > 0;
    this.cross.setAttribute('visibility', is_shown ? 'visible' : 'hidden');
    if (!is_shown) {
      this.values.textContent = this.y_name;
      return;
    }
    const at = this.curves[0].x[Chart.nearest(this.curves[0].x, this.cursor)];
    const x = (at - this.box[0]) / (this.box[1] - this.box[0]) * this.inner.width;
    this.cross.setAttribute('x1', x);
    this.cross.setAttribute('x2', x);
    const named = this.curves.map(curve => `${curve.name} ${Chart.value_text(curve, Chart.nearest(curve.x, at))}`);
    this.values.textContent = `${this.x_symbol} = ${this.x_text(at)}: ${named.join(', ')}`;
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
