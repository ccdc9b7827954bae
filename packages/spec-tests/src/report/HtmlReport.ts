import { createHash } from "node:crypto"

import type { CheckResult } from "../engine/CheckResult.ts"
import type { Verdict } from "../engine/Verdict.ts"
import { filterScript, style } from "./HtmlParts.ts"
import { Html, type Piece, html } from "./HtmlText.ts"
import type { Report } from "./Report.ts"
import { areaOf, byArea, counted, occurring, shareText } from "./Tally.ts"
import { replayLine } from "./TerminalReport.ts"

/** One page without network: areas and statuses, a filter, and all that is known of each row. */
export const htmlReport = (report: Report): string => {
  const { header, verdicts, footer } = report
  const title = `Conformance of ${header.implementation}`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          <p class="share">${shareText(verdicts)}</p>
          ${bar(verdicts)}
          <p class="about">
            ${header.baseUrl} · ${header.strict ? "strict" : "lenient"} · seed ${header.seed} ·
            suite ${header.suite} ·
            ${header.startedAt}${footer === null ? " · the run crashed" : ""}
            ${footer?.end === "interrupted" ? " · interrupted" : ""}
          </p>
          ${report.smoke.filter(({ ok }) => !ok).map(({ what, detail }) => html`<p class="broken"><b>${what}</b>: ${detail}</p>`)}
        </header>
        <main>
          ${matrix(verdicts)} ${filters(verdicts)}
          <div id="rows">${verdicts.map((verdict) => row(verdict, report))}</div>
        </main>
        ${filter}
      </body>
    </html> `
  return page.text
}

/** No other script runs, whatever an implementation answers. */
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(filterScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

/** To the byte: the policy has its hash. */
const filter = new Html(`<script>${filterScript}</script>`)

const bar = (verdicts: ReadonlyArray<Verdict>): Html => {
  const counts = counted(verdicts)
  return html`<div class="bar" aria-hidden="true">
    ${occurring(counts).map(
      (status) => html`<i class="${status}" style="flex-grow:${counts.get(status) ?? 0}"></i>`
    )}
  </div>`
}

const matrix = (verdicts: ReadonlyArray<Verdict>): Html => {
  // The worst first: a phone shows few columns.
  const statuses = occurring(counted(verdicts)).toReversed()
  return html`<div class="scroll">
    <table id="matrix">
      <thead>
        <tr>
          <th>area</th>
          ${statuses.map((status) => html`<th>${status}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${[...byArea(verdicts)].map(([area, those]) => {
          const counts = counted(those)
          return html`<tr>
            <th><button type="button" data-area="${area}">${area}</button></th>
            ${statuses.map((status) => {
              const count = counts.get(status) ?? 0
              return count === 0
                ? html`<td></td>`
                : html`<td>
                    <button
                      type="button"
                      class="${status}"
                      data-area="${area}"
                      data-status="${status}"
                    >
                      ${count}
                    </button>
                  </td>`
            })}
          </tr>`
        })}
      </tbody>
    </table>
  </div>`
}

const filters = (verdicts: ReadonlyArray<Verdict>): Html => {
  const options = (values: ReadonlyArray<string>) =>
    values.map((value) => html`<option value="${value}">${value}</option>`)
  return html`<form id="filter">
    <input type="search" name="text" placeholder="id, words, decision" aria-label="Text" />
    <select name="area" aria-label="Area">
      <option value="">every area</option>
      ${options([...byArea(verdicts).keys()])}
    </select>
    <select name="status" aria-label="Status">
      <option value="">every status</option>
      ${options(occurring(counted(verdicts)))}
    </select>
    <select name="tier" aria-label="Tier">
      <option value="">every tier</option>
      ${options(["A", "B", "C", "D"])}
    </select>
    <button type="reset">all</button>
    <output id="shown">${verdicts.length} of ${verdicts.length}</output>
  </form>`
}

const row = (verdict: Verdict, { results, header }: Report): Html => {
  const { id, line, section, statement, level, tier, status, reason, decisions, sameAs } = verdict
  const mine = results.filter(
    ({ ids }) => ids.includes(id) || (sameAs !== null && ids.includes(sameAs))
  )
  const words = [id, statement, reason ?? "", ...decisions].join(" ").toLowerCase()
  return html`<details
    id="${id}"
    data-area="${areaOf(id)}"
    data-status="${status}"
    data-tier="${tier}"
    data-words="${words}"
  >
    <summary>
      <span class="status ${status}">${status}</span><code>${id}</code
      ><span class="statement">${withCode(statement)}</span>
    </summary>
    <dl>
      <dt>specification</dt>
      <dd>line ${line}, ${section}</dd>
      <dt>level, tier</dt>
      <dd>${level}, ${tier}</dd>
      ${
        reason === null
          ? ""
          : html`<dt>why</dt>
              <dd class="pre">${reason}</dd>`
      }
      ${
        decisions.length === 0
          ? ""
          : html`<dt>decision</dt>
              <dd>${decisions.join(", ")}</dd>`
      }
      ${
        sameAs === null
          ? ""
          : html`<dt>says again</dt>
              <dd><a href="#${sameAs}">${sameAs}</a></dd>`
      }
    </dl>
    ${mine.map((result) => check(result, { id, seed: header.seed }))}
  </details>`
}

/** What stands in backticks, as code. */
const withCode = (text: string): ReadonlyArray<Piece> =>
  text.split("`").map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))

const check = (
  result: CheckResult,
  { id, seed }: { readonly id: string; readonly seed: number }
): Html => {
  const { title, status, reason, expected, actual, deviations, trace, curl, replay } = result
  return html`<section>
    <p>
      <span class="status ${status}">${status}</span>${title} <small>${result.tookMs} ms</small>
    </p>
    ${reason === null ? "" : html`<p class="pre">${reason}</p>`}
    ${expected === null ? "" : html`<p class="pre"><b>expected</b> ${expected}</p>`}
    ${actual === null ? "" : html`<p class="pre"><b>actual</b> ${actual}</p>`}
    ${deviations.map((deviation) => html`<p class="pre">${deviation}</p>`)}
    ${trace.length === 0 ? "" : html`<pre>${trace.join("\n")}</pre>`}
    ${status === "pass" || status === "unsupported" ? "" : html`<pre>${[...(curl === null ? [] : [curl]), replayLine(id, { seed, replay })].join("\n")}</pre>`}
  </section>`
}
