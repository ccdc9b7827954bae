import type { CheckResult } from "../../engine/CheckResult.ts"
import { statuses } from "../../engine/CheckResult.ts"
import { allTiers } from "../../engine/Selection.ts"
import type { Verdict, VerdictStatus } from "../../engine/Verdict.ts"
import { verdictStatuses } from "../../engine/Verdict.ts"
import type { Report } from "../Report.ts"
import { header } from "../ReportLine.ts"

const verdict = (status: VerdictStatus, text: string): Verdict => ({
  id: `${status.replace("-", "")}.row`,
  line: 7,
  section: text,
  statement: text,
  status,
  level: "must",
  tier: "A",
  reason: text,
  decisions: ["D-02"],
  sameAs: null,
  checks: [text]
})

/** A report with a row of each status, in which everything that an implementation may say is `text`. */
export const fakeReport = (text: string): Report => ({
  header: header({
    suite: "0",
    implementation: text,
    baseUrl: text,
    seed: 7,
    profile: "any",
    strict: true,
    only: [],
    skip: [],
    tiers: allTiers,
    set: null,
    baseline: {},
    features: [text],
    hooks: [],
    startedAt: "2026-01-01T00:00:00.000Z"
  }),
  smoke: [{ what: text, ok: false, detail: text, tookMs: 1 }],
  results: statuses.map((status): CheckResult => ({
    ids: [`${status.replace("-", "")}.row`],
    title: text,
    status,
    reason: text,
    expected: text,
    actual: text,
    deviations: [text],
    trace: [text, text],
    curl: text,
    seed: 7,
    replay: text,
    tookMs: 3
  })),
  verdicts: verdictStatuses.map((status) => verdict(status, text)),
  footer: { type: "footer", end: "done", phases: [{ name: "together", tookMs: 1234 }] }
})
