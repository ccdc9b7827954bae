import type { styleText } from "node:util"

import type { CheckResult } from "../engine/CheckResult.ts"
import { isRed } from "../engine/ExitCode.ts"
import type { Verdict, VerdictStatus } from "../engine/Verdict.ts"
import { printable } from "./Printable.ts"
import type { Report } from "./Report.ts"
import { byArea, claimText, counted, cutText, occurring, shareText } from "./Tally.ts"

type Style = Parameters<typeof styleText>[0]

/** Puts a colour on a text, or does not. */
export type Paint = (style: Style, text: string) => string

const styles: Readonly<Record<VerdictStatus, Style>> = {
  pass: "green",
  documented: "dim",
  unsupported: "dim",
  deviates: "yellow",
  flaky: "yellow",
  "expected-fail": "yellow",
  untestable: "red",
  fail: "red",
  stale: "red",
  error: "magenta",
  "not-scored": "dim",
  "not-run": "red"
}

const reasonsMax = 12

/** What a person reads at the end of a run: areas, what is missing, failures, and the share last. */
export const terminalReport = (report: Report, paint: Paint): string => {
  const { header, verdicts, footer } = report
  const { implementation, baseUrl, strict, seed } = header
  const mode = strict ? "strict" : "lenient"
  const claim = claimText(verdicts)
  const cut = cutText(footer)
  return [
    `${printable(implementation)} at ${printable(baseUrl)}: ${mode}, seed ${seed}`,
    "",
    ...areas(verdicts, paint),
    "",
    ...missing(verdicts),
    ...smokes(report, paint),
    ...reds(report, paint),
    ...(cut === null ? [] : [paint("red", cut), ""]),
    ...(footer === null ? [] : [phasesText(footer.phases)]),
    ...(claim === null ? [] : [paint("red", claim)]),
    shareText(verdicts)
  ].join("\n")
}

const areas = (verdicts: ReadonlyArray<Verdict>, paint: Paint): ReadonlyArray<string> => {
  const all = byArea(verdicts)
  const width = Math.max(4, ...[...all.keys()].map(({ length }) => length))
  return [...all].map(([area, those]) => {
    const counts = counted(those)
    const parts = occurring(counts).map((status) =>
      paint(styles[status], `${counts.get(status)} ${status}`)
    )
    return `${area.padEnd(width)}  ${parts.join("  ")}`
  })
}

/** Why rows are unsupported, the most frequent first. */
const missing = (verdicts: ReadonlyArray<Verdict>): ReadonlyArray<string> => {
  const reasons = new Map<string, number>()
  for (const { status, reason } of verdicts) {
    if (status === "unsupported") reasons.set(reason ?? "", (reasons.get(reason ?? "") ?? 0) + 1)
  }
  const sorted = [...reasons].toSorted(([, one], [, other]) => other - one)
  const more = sorted.length - reasonsMax
  return sorted.length === 0
    ? []
    : [
        "unsupported:",
        ...sorted
          .slice(0, reasonsMax)
          .map(([reason, count]) => `  ${String(count).padStart(3)}  ${printable(reason)}`),
        ...(more > 0 ? [`  and ${more} other reasons`] : []),
        ""
      ]
}

const smokes = ({ smoke }: Report, paint: Paint): ReadonlyArray<string> => {
  const failed = smoke.filter(({ ok }) => !ok)
  const lines = failed.map(
    ({ what, detail }) =>
      `${paint("red", "declared, but not there")}  ${printable(what)}: ${printable(detail)}`
  )
  return lines.length === 0 ? [] : [...lines, ""]
}

const reds = (report: Report, paint: Paint): ReadonlyArray<string> =>
  blocksOf(report).flatMap(({ verdicts, causes }) => {
    const [first] = verdicts
    const { reason = null, id = "" } = first ?? {}
    const [cause] = causes
    const titles = [...new Set(causes.map(({ title }) => title))]
    return [
      ...verdicts
        .slice(0, namedMax)
        .flatMap(({ id: one, line, status, statement }) => [
          `${paint(styles[status], status)} ${paint("bold", printable(one))} (specification line ${line})`,
          `  ${printable(statement)}`
        ]),
      ...others(
        "requirement",
        verdicts.slice(namedMax).map((verdict) => verdict.id)
      ),
      ...titles.slice(0, namedMax).map((title) => `  check: ${printable(title)}`),
      ...others("check", titles.slice(namedMax)),
      ...(cause === undefined && reason !== null ? [`  ${indented(reason)}`] : []),
      ...(cause === undefined ? [] : causeLines(cause, { seed: report.header.seed, id })),
      ""
    ]
  })

/** Of what has one cause, so many are told in full; the others by name. */
const namedMax = 5

const others = (noun: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0
    ? []
    : [`  and ${names.length} other ${noun}s of the same cause: ${printable(names.join(", "))}`]

interface Block {
  readonly verdicts: Array<Verdict>
  /** The same was seen in each of these. */
  readonly causes: Array<CheckResult>
}

/** One block for what was seen, however many requirements and checks show it. */
const blocksOf = ({ header, verdicts, results }: Report): ReadonlyArray<Block> => {
  const ours = header.profile === "ours"
  const blocks = new Map<string, Block>()
  const add = (key: string, verdict: Verdict, cause: CheckResult | null): void => {
    const block = blocks.get(key) ?? { verdicts: [], causes: [] }
    if (!block.verdicts.includes(verdict)) block.verdicts.push(verdict)
    if (cause !== null && !block.causes.includes(cause)) block.causes.push(cause)
    blocks.set(key, block)
  }
  for (const verdict of verdicts) {
    if (!isRed(verdict.status, ours) || verdict.status === "not-run") continue
    const causes = results.filter((result) => isCause(result, verdict))
    if (causes.length === 0) add(`${verdict.status} ${verdict.reason}`, verdict, null)
    for (const cause of causes) add(keyOf(cause), verdict, cause)
  }
  return [...blocks.values()]
}

const keyOf = ({ status, reason, expected, actual, deviations }: CheckResult): string =>
  JSON.stringify([status, reason, expected, actual, deviations])

const isCause = ({ ids, status }: CheckResult, { id, sameAs }: Verdict): boolean =>
  (ids.includes(id) || (sameAs !== null && ids.includes(sameAs))) &&
  !["pass", "documented", "unsupported"].includes(status)

const causeLines = (
  { reason, expected, actual, deviations, trace, curl, replay }: CheckResult,
  { seed, id }: { readonly seed: number; readonly id: string }
): ReadonlyArray<string> => [
  ...(reason === null ? [] : [`  ${indented(reason)}`]),
  ...(expected === null ? [] : [`    expected  ${indented(expected)}`]),
  ...(actual === null ? [] : [`    actual    ${indented(actual)}`]),
  ...deviations.map((deviation) => `    ${indented(deviation)}`),
  ...trace.map((text) => `    | ${indented(text)}`),
  ...(curl === null ? [] : [`  ${indented(curl)}`]),
  `  ${indented(replayLine(id, { seed, replay }))}`
]

/** The command that asks the same again. */
export const replayLine = (
  id: string,
  { seed, replay }: { readonly seed: number; readonly replay: string | null }
): string =>
  `spec-tests run --only '${id}' --seed ${seed}${replay === null ? "" : ` --replay '${replay}'`}`

const indented = (text: string): string => printable(text).replaceAll("\n", "\n      ")

const phasesText = (
  phases: ReadonlyArray<{ readonly name: string; readonly tookMs: number }>
): string => phases.map(({ name, tookMs }) => `${name} ${(tookMs / 1000).toFixed(1)} s`).join(", ")
