import { html, type Markup } from '../../../platform/html-template';
import { barChart, timeChart } from './chart';
import {
  addHistograms,
  countIn,
  type Histogram,
  percentile,
  type Span,
} from '../queries/stats-history.repository';
import { formatCount, formatDay, formatMilliseconds, formatMinute, formatPercent } from '../html/formats';

interface Totals {
  delivered: number;
  failed: number;
  answerTimes: Histogram;
  waits: Histogram;
}

export function totalsOf(spans: readonly Span[]): Totals {
  const nothing: Totals = { delivered: 0, failed: 0, answerTimes: [], waits: [] };
  return spans.reduce(
    (sum, span) => ({
      delivered: sum.delivered + span.delivered,
      failed: sum.failed + span.failed,
      answerTimes: addHistograms(sum.answerTimes, span.answerTimes),
      waits: addHistograms(sum.waits, span.waits),
    }),
    nothing,
  );
}

/** Renders the success rate, the response times, and the times from event to 2xx of the same spans. */
export function statsCharts(spans: readonly Span[]): Markup {
  const totals = totalsOf(spans);
  return html`<div class="charts">
      ${successCard(spans, totals)}
      ${timeCard('Answer time', 'of the receivers, over all attempts that got one', spans, (of) => of.answerTimes)}
      ${timeCard('Event to 2xx', 'from an event to its delivery, waits between attempts included', spans, (of) => of.waits)}
    </div>
    ${totals.delivered + totals.failed > 0 && spanTable(spans)}`;
}

function successCard(spans: readonly Span[], { delivered, failed }: Totals): Markup {
  const rate = formatPercent(delivered, delivered + failed);
  const bars = spans.map((span) => ({
    ...span,
    good: span.delivered,
    bad: span.failed,
    tip: successTip(span),
  }));
  const label = `Attempts: ${formatCount(delivered)} delivered, ${formatCount(failed)} failed.`;
  return html`<section class="card">
    <h3>Success rate</h3>
    <p class="about">of ${formatCount(delivered + failed)} attempts</p>
    <p class="figure">
      <strong>${rate}</strong> <span class="key good">${formatCount(delivered)} delivered</span>
      <span class="key bad">${formatCount(failed)} failed</span>
    </p>
    ${barChart(label, bars)}
  </section>`;
}

function timeCard(
  title: string,
  about: string,
  spans: readonly Span[],
  pick: (of: Totals) => Histogram,
): Markup {
  const all = pick(totalsOf(spans));
  const points = spans.map((span) => {
    const [typical, slow] = [percentile(pick(span), 0.5), percentile(pick(span), 0.95)];
    return { ...span, typical, slow, tip: `${formatSpan(span)}: p50 ${ms(typical)}, p95 ${ms(slow)}` };
  });
  const [typical, slow] = [ms(percentile(all, 0.5)), ms(percentile(all, 0.95))];
  return html`<section class="card">
    <h3>${title}</h3>
    <p class="about">${about}</p>
    <p class="figure">
      <span class="key typical"><strong>${typical}</strong> p50</span>
      <span class="key slow"><strong>${slow}</strong> p95</span>
    </p>
    ${timeChart(`${title}, ${about}: p50 ${typical}, p95 ${slow}, of ${formatCount(countIn(all))}.`, points)}
  </section>`;
}

/** Omits spans without attempts. */
function spanTable(spans: readonly Span[]): Markup {
  const used = spans.filter(({ delivered, failed }) => delivered + failed > 0);
  const rows = used.reverse().map((span) => {
    const cells = [span.answerTimes, span.waits].flatMap((times) => [
      percentile(times, 0.5),
      percentile(times, 0.95),
    ]);
    return html`<tr>
      <th scope="row">${formatSpan(span)}</th>
      <td>${formatCount(span.delivered)}</td>
      <td>${formatCount(span.failed)}</td>
      <td>${formatPercent(span.delivered, span.delivered + span.failed)}</td>
      ${cells.map((cell) => html`<td>${ms(cell)}</td>`)}
    </tr>`;
  });
  const names = [
    'Time (UTC)',
    'Delivered',
    'Failed',
    'Success',
    'Answer p50',
    'p95',
    'Event to 2xx p50',
    'p95',
  ];
  return html`<details class="as-table" id="charts-as-table">
    <summary>The same as a table</summary>
    <div class="scroll" tabindex="0" role="group" aria-label="The charts as a table">
      <table class="figures">
        <thead>
          <tr>
            ${names.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
}

function successTip(span: Span): string {
  const attempts = span.delivered + span.failed;
  const text =
    attempts === 0
      ? 'no attempt'
      : `${formatPercent(span.delivered, attempts)} of ${formatCount(attempts)} attempts`;
  return `${formatSpan(span)}: ${text}`;
}

function formatSpan({ at, end }: Span): string {
  return `${formatDay(at)} ${formatMinute(at)}–${formatMinute(end)}`;
}

function ms(value: number | null): string {
  return value === null ? '–' : formatMilliseconds(value);
}
