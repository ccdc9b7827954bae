import type { PlanReport } from "./PlanReport.ts"
import type { PlanPlot } from "./Plots.ts"

/** The report as one page that loads nothing: pictures first, then all that the terminal shows. */
export const pageOf = (
  report: PlanReport,
  { plots, text }: { readonly plots: ReadonlyArray<PlanPlot>; readonly text: string }
): string => {
  const { fleet, cost, sessions, kept } = report
  const total = Math.round(cost.withCaps.p95.total).toLocaleString("en-US")
  const refusedShare = sessions.started.p50 === 0 ? 0 : sessions.refused.p50 / sessions.started.p50
  const tiles: ReadonlyArray<readonly [string, string]> = [
    [String(fleet.machines.p95), "machines, one of them spare"],
    [total, "a month"],
    [`${Number((refusedShare * 100).toPrecision(3))}%`, "of the players are refused"],
    [kept ? "all kept" : "not all kept", "promises"]
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(report.scenario)}: plan</title>
<style>${style}</style>
<main>
<h1>${escaped(report.scenario)}</h1>
<p>${escaped(report.period.from.slice(0, 10))} to ${escaped(report.period.to.slice(0, 10))}, ${report.runs} ${report.runs === 1 ? "run" : "runs"}, seed ${report.seed}. All times are UTC.</p>
<ul class="tiles">
${tiles.map(([value, says]) => `<li><b>${escaped(value)}</b> ${escaped(says)}</li>`).join("\n")}
</ul>
${plots.map(figure).join("\n")}
<h2>The whole report</h2>
<pre>${escaped(text)}</pre>
</main>
</html>
`
}

const figure = ({ title, says, svg }: PlanPlot): string =>
  `<figure>
<h2>${escaped(title)}</h2>
<figcaption>${escaped(says)}</figcaption>
${svg}
</figure>`

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")

const style = `
body { margin: 0; background: #f6f7f9; color: #1f2933; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 920px; margin: 0 auto; padding: 24px 16px 64px }
h1 { margin: 0 } h2 { margin: 0; font-size: 18px }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; padding: 0; list-style: none }
.tiles li { flex: 1; min-width: 150px; padding: 12px 16px; border-radius: 8px; background: white }
.tiles b { display: block; font-size: 28px }
figure { margin: 16px 0; padding: 16px; border-radius: 8px; background: white }
figcaption { color: #52606d; font-size: 14px }
figure svg { width: 100%; height: auto }
pre { overflow-x: auto; padding: 16px; border-radius: 8px; background: white; font-size: 12px }
`
