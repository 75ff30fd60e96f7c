
'use strict';
// The page is complete without this script. It adds a read-out under the
// pointer, switches in the legends, and sorting.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const clamp = (v, lo, hi) => Math.min(hi, Math.max(lo, v));
  const node = (name, attributes) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  };

  // The same rounding as in the printed page.
  const count = n => Math.round(n).toLocaleString('en-US');
  const two = (n, large, per, small) => {
    const whole = Math.floor(n / per), rest = n % per;
    if (!whole) return `${rest} ${small}`;
    return rest ? `${count(whole)} ${large} ${rest} ${small}` : `${count(whole)} ${large}`;
  };
  const duration = s => {
    if (Math.round(s) < 3600) return two(Math.round(s), 'min', 60, 's');
    if (Math.round(s / 60) < 1440) return two(Math.round(s / 60), 'h', 60, 'min');
    return two(Math.round(s / 3600), 'd', 24, 'h');
  };

  // Absolute M, L, H and V are all that the curves use.
  const points = path => {
    let x = 0, y = 0;
    return [...path.getAttribute('d').matchAll(/([MLHV])(\d+)(?: (\d+))?/g)].map(([, command, a, b]) => {
      if (command === 'V') y = +a; else x = +a;
      if (b) y = +b;
      return [x, y];
    });
  };
  // The height of a curve at x: on the line between its neighbours, or the
  // upper end of a step.
  const heightAt = (curve, x) => {
    let i = curve.findIndex(p => p[0] > x);
    if (i < 0) i = curve.length - 1;
    const [a, b] = [curve[Math.max(0, i - 1)], curve[i]];
    if (a[0] >= b[0]) return b[1];
    return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]);
  };
  // The value of a curve of the plot at x, both as shares of their axes. The
  // grid of the curves has 10,000 columns; its rows are in the view box.
  const valueAt = (plot, curve, share) => {
    const rows = plot.querySelector('svg').viewBox.baseVal.height;
    const height = 1 - heightAt(curve, share * 10000) / rows;
    return (plot.dataset.root ? height * height : height) * plot.dataset.top;
  };
  const percent = v => `${(100 * v).toFixed(v < 0.01 || v > 0.99 ? 1 : 0)} %`;
  const instant = (plot, share) => {
    const {scale, from, to, zero} = plot.dataset;
    if (scale === 'time') return share * (to - from);
    return share < zero ? 0 : from * Math.pow(to / from, (share - zero) / (1 - zero));
  };

  const told = (plot, s) => plot.dataset.clock ? new Date((+plot.dataset.clock + s) * 1000).toUTCString().slice(0, 22) : duration(s);

  // A cursor that follows the pointer or the arrow keys; tell(share, y) gets
  // its place on the plot, and null when it leaves.
  const follow = (plot, tell) => {
    const line = node('line', {class: 'cursor off', y2: '100%'});
    plot.append(line);
    let share = 0;
    const move = (to, y) => {
      share = clamp(to, 0, 1);
      line.setAttribute('x1', `${share * 100}%`);
      line.setAttribute('x2', `${share * 100}%`);
      line.classList.remove('off');
      tell(share, y);
    };
    const leave = () => { line.classList.add('off'); tell(null); };
    plot.addEventListener('pointermove', e => {
      const box = plot.getBoundingClientRect();
      move((e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
    });
    plot.addEventListener('pointerleave', leave);
    plot.addEventListener('blur', leave);
    plot.addEventListener('keydown', e => {
      const step = {ArrowLeft: -0.01, ArrowRight: 0.01}[e.key];
      if (step) { e.preventDefault(); move(share + step, 0.5); }
    });
    plot.tabIndex = 0;
  };

  // Browsers show the title of a drawing as a tool tip, which would cover the
  // read-out.
  for (const plot of all('svg.plot')) {
    plot.setAttribute('aria-label', all(':scope > title, :scope > desc', plot).map(e => e.textContent).join('. '));
    plot.removeAttribute('aria-labelledby');
    plot.querySelector('title').remove();
  }

  // Distributions: the legend says what each curve says.
  for (const id of ['jct', 'queue']) {
    const figure = document.getElementById(id), plot = figure && figure.querySelector('svg.plot');
    if (!plot) continue;
    const name = figure.querySelector('.xname'), plain = name.textContent;
    const curves = new Map(all('path[data-s]', plot).map(p => [p.dataset.s, points(p)]));
    const keys = all('.key li', figure).map(key => {
      const at = document.createElement('span');
      at.className = 'at';
      key.append(at);
      return [key.dataset.s, at];
    });
    follow(plot, share => {
      name.textContent = share === null ? plain : `at ${duration(instant(plot, share))}`;
      for (const [s, at] of keys) {
        const curve = curves.get(s);
        at.textContent = share === null || !curve ? '' : percent(valueAt(plot, curve, share));
      }
    });
  }
  for (const key of all('.key li[data-s]')) {
    const button = document.createElement('button');
    button.append(...key.childNodes);
    button.setAttribute('aria-pressed', 'true');
    key.append(button);
    button.addEventListener('click', () => {
      const off = button.getAttribute('aria-pressed') === 'true';
      for (const e of all(`[data-s="${key.dataset.s}"]`)) {
        if (e.matches('li')) e.firstChild.setAttribute('aria-pressed', String(!off)); else e.classList.toggle('off', off);
      }
    });
  }

  // Curves over time: the line above the panel.
  for (const panel of all('.panel')) {
    const plot = panel.querySelector('svg.plot'), remark = panel.querySelector('.remark'), plain = remark.textContent;
    const area = plot.querySelector('.area');
    if (!area) continue;
    const curve = points(area);
    follow(plot, share => {
      if (share === null) { remark.textContent = plain; return; }
      const v = valueAt(plot, curve, share);
      remark.textContent = `at ${told(plot, instant(plot, share))}: ${plot.dataset.share ? percent(v) : count(v)}`;
    });
  }

  // Gantt charts: the line above the chart. Blocks are read when first needed.
  const jobs = JSON.parse(document.getElementById('jobs').textContent) || [];
  for (const chart of all('.gantt')) {
    const plot = chart.querySelector('svg.plot'), readout = chart.querySelector('.readout'), plain = readout.textContent;
    const rows = plot.querySelector('svg').viewBox.baseVal.height;
    let blocks;
    const read = () => all('path[data-b]', plot).reverse().flatMap(path => {
      const told = path.dataset.b.split(' ');
      return [...path.getAttribute('d').matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)].map((m, i) => [...m.slice(1).map(Number), told[i]]);
    });
    follow(plot, (share, down) => {
      if (share === null) { readout.textContent = plain; return; }
      blocks = blocks || read();
      const x = share * 10000, y = down * rows;
      const hit = blocks.find(([left, top, width, height]) => left <= x && x <= left + width && top <= y && y <= top + height + 1);
      if (!hit) { readout.textContent = `at ${told(plot, instant(plot, share))}: free`; return; }
      const [job, start, length, gpus] = hit[4].split(',').map(v => parseInt(v, 36));
      readout.textContent = `${jobs[job]}: ${count(gpus)} ${gpus === 1 ? 'GPU' : 'GPUs'} for ${duration(length)}, from ${told(plot, start)} to ${told(plot, start + length)}${hit[4].endsWith('!') ? ', preempted' : ''}`;
    });
  }

  // Sorting: a click on a heading, once more for the other direction. Rows
  // without a value stay last.
  const sortKey = (row, column) => {
    const cell = row.cells[column], v = cell.dataset.v;
    return v === undefined ? cell.textContent.trim() : v === '' ? null : Number(v);
  };
  for (const table of all('table.sortable')) {
    const heads = all('thead th', table);
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        heads.forEach(h => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
        const rows = [...table.tBodies[0].rows].map(row => [sortKey(row, column), row]);
        rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null)
          : direction * (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', {numeric: true})));
        table.tBodies[0].append(...rows.map(r => r[1]));
      });
    });
  }
})();
