import { readFileSync } from "node:fs"

import { Schema } from "effect"

import type { CheckResult } from "../engine/CheckResult.ts"
import { exitCode } from "../engine/ExitCode.ts"
import { selected } from "../engine/Selection.ts"
import { type Suite, proofsOf } from "../engine/Suite.ts"
import { type Verdict, verdictsOf } from "../engine/Verdict.ts"
import { readFrozenSet } from "./FrozenSet.ts"
import { type Footer, type Header, ReportLine, type SmokeFinding } from "./ReportLine.ts"

/** A run as its lines tell it. */
export interface Report {
  readonly header: Header
  readonly smoke: ReadonlyArray<SmokeFinding>
  readonly results: ReadonlyArray<CheckResult>
  readonly verdicts: ReadonlyArray<Verdict>
  /** null = the run crashed. */
  readonly footer: Footer | null
}

/** Verdicts on the selected requirements, from the results of a run. */
export const judge = (
  suite: Suite,
  { header, results }: Pick<Report, "header" | "results">
): ReadonlyArray<Verdict> => {
  const asked = selected(suite.requirements, header)
  const skipless = selected(suite.requirements, { ...header, only: [] })
  // What an exchange showed beside what was asked is not kept back.
  const beside = new Set(results.filter(isRedAmbient).flatMap(({ ids }) => ids))
  return verdictsOf({
    requirements: skipless.filter((row) => asked.includes(row) || beside.has(row.id)),
    results,
    proofs: proofsOf(suite),
    declared: { config: header, hooks: new Set(header.hooks) },
    baseline: header.baseline,
    strict: header.strict,
    scored: header.set === null ? null : readFrozenSet(header.set),
    documented: suite.documented
  })

  function isRedAmbient({ ids, status }: CheckResult): boolean {
    const isAmbient = suite.ambientRules.some((rule) => rule.ids[0] === ids[0])
    return isAmbient && (status === "fail" || status === "error")
  }
}

/** The exit code of the run that a report tells of. */
export const codeOf = ({ verdicts, header, footer }: Report): number =>
  exitCode({
    statuses: verdicts.map(({ status }) => status),
    ours: header.profile === "ours",
    end: footer?.end ?? "crashed"
  })

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(ReportLine))

/** Reads a report in JSON lines, also of a run that crashed: its verdicts are made of what ran. */
export const readReport = (path: string, suite: Suite): Report => {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
  const read = lines.flatMap((line, at): ReadonlyArray<ReportLine> => {
    try {
      return [decodeLine(line)]
    } catch (cause) {
      // A crash may cut the last line.
      if (at === lines.length - 1) return []
      throw new Error(`${path}:${at + 1} is no line of a report: ${String(cause)}`)
    }
  })
  const header = read.find((line) => line.type === "header")
  if (header === undefined) throw new Error(`${path} has no header: it is no report`)
  const results = read.filter((line) => line.type === "result")
  const verdicts = read.filter((line) => line.type === "verdict")
  const footer = read.find((line) => line.type === "footer") ?? null
  return {
    header,
    smoke: read.filter((line) => line.type === "smoke"),
    results,
    verdicts: footer === null ? judge(suite, { header, results }) : verdicts,
    footer
  }
}
