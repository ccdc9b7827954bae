import { Argument, Command } from "effect/cli"

import { isRed } from "../engine/ExitCode.ts"
import { Misused } from "../engine/Settings.ts"
import { wholeSuite } from "../engine/Suite.ts"
import type { Verdict, VerdictStatus } from "../engine/Verdict.ts"
import { type Report, readReport } from "../report/Report.ts"
import { endingWith } from "./CommandEnd.ts"

/** `spec-tests diff BEFORE AFTER`: what became better or worse. */
export const diff = Command.make(
  "diff",
  {
    before: Argument.String("before").pipe(Argument.withDescription("A report in JSON lines")),
    after: Argument.String("after").pipe(Argument.withDescription("Another one"))
  },
  ({ before, after }) =>
    endingWith((_, say) => {
      const reports = [read(before), read(after)] as const
      const { lines, worse } = difference(...reports)
      const cut = [before, after].filter((_path, at) => reports[at]?.footer === null)
      for (const path of cut) say.error(`${path} has no end: its run crashed, or it was cut`)
      say.log(lines.length === 0 ? "no difference" : lines.join("\n"))
      return worse || cut.length > 0 ? 1 : 0
    })
).pipe(Command.withDescription("Compare two reports; worse is exit code 1"))

const read = (path: string): Report => {
  try {
    return readReport(path, wholeSuite)
  } catch (cause) {
    throw new Misused(cause instanceof Error ? cause.message : String(cause))
  }
}

/** A requirement is worse when it turns red, was proved and is no longer, or has vanished. */
const difference = (
  before: Pick<Report, "verdicts">,
  after: Pick<Report, "verdicts">
): { readonly lines: ReadonlyArray<string>; readonly worse: boolean } => {
  const olds = statusesOf(before)
  const news = statusesOf(after)
  const ids = [...new Set([...olds.keys(), ...news.keys()])]
  const changes = ids.flatMap((id) => {
    const old = olds.get(id) ?? "absent"
    const now = news.get(id) ?? "absent"
    return old === now ? [] : [{ id, old, now, worse: isWorse(old, now) }]
  })
  return {
    lines: changes
      .toSorted((one, other) => Number(other.worse) - Number(one.worse))
      .map(({ id, old, now, worse }) => `${worse ? "worse " : "      "}  ${id}: ${old} -> ${now}`),
    worse: changes.some(({ worse }) => worse)
  }
}

const statusesOf = ({ verdicts }: Pick<Report, "verdicts">): ReadonlyMap<string, VerdictStatus> =>
  new Map(verdicts.map(({ id, status }: Verdict) => [id, status]))

const isWorse = (old: VerdictStatus | "absent", now: VerdictStatus | "absent"): boolean =>
  now === "absent" ||
  (old === "pass" && now !== "not-scored") ||
  (isRed(now, true) && !(old !== "absent" && isRed(old, true)))
