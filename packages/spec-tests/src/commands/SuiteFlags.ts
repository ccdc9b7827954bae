import { Option } from "effect"
import { Flag } from "effect/cli"

import { allTiers } from "../engine/Selection.ts"

/** `a,b` is the same as saying the flag twice. */
const many = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((given) => given.flatMap(words))
  )

const words = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** Flags that select requirements. */
export const selection = {
  only: many("only", "Ids, or globs of them: 'keys.*,auth'; what has no * names all below it"),
  skip: many("skip", "Ids or globs that are left out"),
  tiers: Flag.String("tier").pipe(
    Flag.withDescription("A: address and accounts; B: and fixtures; C: and hooks; D: documented"),
    Flag.withDefault(allTiers.join(",")),
    Flag.filterMap(
      (text) => {
        const tiers = allTiers.filter((tier) => words(text).includes(tier))
        return tiers.length > 0 && tiers.length === words(text).length
          ? Option.some(tiers)
          : Option.none()
      },
      () => "some of A,B,C,D"
    )
  )
}

const text = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.optional,
    Flag.map(Option.getOrNull)
  )

/** Where the implementation is. */
export const implementation = {
  config: text("config", "The configuration; default: ./conformance.config.json, if it is there"),
  baseUrl: text("base-url", "The service; default: the configuration's"),
  router: text("router", "Its WebSockets; default: the configuration's, else the service's"),
  control: text("control", "Its control listener; default: the configuration's"),
  controlToken: text("control-token", "Better in the environment: CONFORMANCE_CONTROL_TOKEN")
}

/** How it is judged. */
export const judging = {
  strict: Flag.Boolean("strict").pipe(
    Flag.withDescription("What the specification leaves open must be as our decisions say"),
    Flag.withDefault(false)
  ),
  lenient: Flag.Boolean("lenient").pipe(
    Flag.withDescription(
      "It need not, and is reported as `deviates`: the default, but for --profile ours"
    ),
    Flag.withDefault(false)
  ),
  profile: Flag.Literals("profile", ["any", "ours"]).pipe(
    Flag.withDescription("ours: strict, and a deviation fails the run"),
    Flag.withDefault("any" as const)
  ),
  baseline: text("baseline", "A file of what is known to fail"),
  set: text("set", "Only what is in this frozen set counts")
}

/** How the run goes. */
export const running = {
  jobs: Flag.Int("jobs").pipe(
    Flag.withDescription("Checks at once"),
    Flag.filter(
      (jobs) => jobs >= 1,
      () => "1 or more"
    ),
    Flag.optional,
    Flag.map(Option.getOrNull)
  ),
  patience: Flag.Int("patience").pipe(
    Flag.withDescription("Times longer that anything may take: on a busy machine"),
    Flag.filter(
      (patience) => patience >= 1,
      () => "1 or more"
    ),
    Flag.withDefault(1)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("What chance follows; the same seed asks the same"),
    Flag.withDefault(1)
  ),
  replay: text("replay", "What a failure printed as its replay"),
  modelRuns: Flag.Int("model-runs").pipe(
    Flag.withDescription("Sequences that each model runs; default: as many as it says"),
    Flag.filter(
      (runs) => runs >= 1,
      () => "1 or more"
    ),
    Flag.optional,
    Flag.map(Option.getOrNull)
  )
}

const reportKinds = ["terminal", "json", "junit", "md"] as const
export type ReportKind = (typeof reportKinds)[number]

/** Flags that say which reports are written, and where. */
export const reporting = {
  report: Flag.String("report").pipe(
    Flag.withDescription(`${reportKinds.join(", ")}; default: terminal, and with --out all`),
    Flag.filterMap(
      (given) => {
        const kinds = reportKinds.filter((kind) => words(given).includes(kind))
        return kinds.length === words(given).length ? Option.some(kinds) : Option.none()
      },
      () => `some of ${reportKinds.join(",")}`
    ),
    Flag.optional,
    Flag.map(Option.getOrNull)
  ),
  out: text("out", "The folder for their files; default: ./conformance-out")
}

/** The kinds of reports to write, and their folder. */
export const reportsOf = (given: {
  readonly report: ReadonlyArray<ReportKind> | null
  readonly out: string | null
}): { readonly kinds: ReadonlyArray<ReportKind>; readonly folder: string } => ({
  kinds: given.report ?? (given.out === null ? ["terminal"] : reportKinds),
  folder: given.out ?? "conformance-out"
})
