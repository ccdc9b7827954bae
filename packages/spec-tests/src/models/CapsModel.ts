import fc from "fast-check"

import type { Meter } from "../codec/Codecs.ts"
import type { Machine, Model } from "./Machine.ts"

/** The two projects of a sequence; a cap of one is none of the other's. */
export type CapsProject = "one" | "other"
export type Ceilings = Readonly<Record<Meter, number | null>>

export interface CapsDeed {
  readonly kind: "set" | "set wrongly"
  readonly project: CapsProject
  /** A key that is absent stays as it was; null clears it. */
  readonly ceilings: Partial<Ceilings>
}

export type CapsState = Readonly<Record<CapsProject, Ceilings>>

const meters = ["roomHours", "voiceMinutes", "storageBytes", "dataOutBytes"] as const
const noCeilings: Ceilings = {
  roomHours: null,
  voiceMinutes: null,
  storageBytes: null,
  dataOutBytes: null
}

/** Ceilings per project and meter. Spec: Usage caps (resource); D-10. */
const capsMachine: Machine<CapsState, CapsDeed, CapsState> = {
  initial: { one: noCeilings, other: noCeilings },
  view: (state) => state,
  step: (state, { kind, project, ceilings }) =>
    kind === "set wrongly"
      ? [{ answer: "400 E_BAD_REQUEST", state }]
      : [{ answer: "ok", state: { ...state, [project]: { ...state[project], ...ceilings } } }]
}

export const capsModel: Model<CapsState, CapsDeed, CapsDeed, CapsState> = {
  machine: capsMachine,
  bind: (command) => command,
  tell: ({ kind, project, ceilings }) => `${kind} ${JSON.stringify(ceilings)} in ${project}`
}

const project = fc.constantFrom<CapsProject>("one", "other")
const ceiling = fc.oneof(fc.constant(null), fc.constantFrom(0, 1, 100), fc.nat({ max: 2 ** 40 }))
const some = fc
  .tuple(fc.subarray([...meters]), fc.tuple(ceiling, ceiling, ceiling, ceiling))
  .map(([chosen, values]): Partial<Ceilings> =>
    Object.fromEntries(chosen.map((meter, at) => [meter, values[at] ?? null]))
  )

/** `set wrongly` = one malformed ceiling among good ones: none of them may be set. */
export const capsCommands: ReadonlyArray<fc.Arbitrary<CapsDeed>> = [
  fc.record({ kind: fc.constant("set" as const), project, ceilings: some }),
  fc.record({ kind: fc.constant("set" as const), project, ceilings: some }),
  fc.record({
    kind: fc.constant("set wrongly" as const),
    project,
    ceilings: some.map((ceilings) => ({ ...ceilings, dataOutBytes: -1 }))
  })
]
