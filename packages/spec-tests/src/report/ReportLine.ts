import { Schema } from "effect"

import { Baseline } from "../engine/Baseline.ts"
import { CheckResult } from "../engine/CheckResult.ts"
import { Verdict } from "../engine/Verdict.ts"

const format = 1

/** The head of a report: the run and the implementation. */
export const Header = Schema.Struct({
  type: Schema.Literal("header"),
  format: Schema.Literal(format),
  suite: Schema.String,
  implementation: Schema.String,
  baseUrl: Schema.String,
  seed: Schema.Int,
  profile: Schema.Literals(["any", "ours"]),
  strict: Schema.Boolean,
  only: Schema.Array(Schema.String),
  skip: Schema.Array(Schema.String),
  tiers: Schema.Array(Schema.Literals(["A", "B", "C", "D"])),
  /** Name of the frozen set; null = every requirement counts. */
  set: Schema.NullOr(Schema.String),
  baseline: Baseline,
  features: Schema.Array(Schema.String),
  hooks: Schema.Array(Schema.String),
  startedAt: Schema.String
})
export type Header = typeof Header.Type

/** The result of a smoke probe: whether a declared feature or hook works. */
export const SmokeFinding = Schema.Struct({
  what: Schema.String,
  ok: Schema.Boolean,
  detail: Schema.String,
  tookMs: Schema.Int
})
export type SmokeFinding = typeof SmokeFinding.Type

/** How a run ended, and where its time went. */
export const Footer = Schema.Struct({
  type: Schema.Literal("footer"),
  end: Schema.Literals(["done", "interrupted"]),
  phases: Schema.Array(Schema.Struct({ name: Schema.String, tookMs: Schema.Int }))
})
export type Footer = typeof Footer.Type

/** One line of a report in JSON: a header, findings and results as they come, verdicts, a footer. */
export const ReportLine = Schema.Union([
  Header,
  Schema.Struct({ type: Schema.Literal("smoke"), ...SmokeFinding.fields }),
  Schema.Struct({ type: Schema.Literal("result"), ...CheckResult.fields }),
  Schema.Struct({ type: Schema.Literal("verdict"), ...Verdict.fields }),
  Footer
])
export type ReportLine = typeof ReportLine.Type

/** The header without what is the same in every report. */
export type HeaderFields = Omit<Header, "type" | "format">

export const header = (fields: HeaderFields): Header => ({ type: "header", format, ...fields })
