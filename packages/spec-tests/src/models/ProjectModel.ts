import fc from "fast-check"

import type { Machine, Model, Outcome } from "./Machine.ts"

/** Fields of PATCH; what is absent stays, null is the default. */
export interface ProjectSettings {
  readonly connectionsPerIpPerMin?: number | null
  readonly vmMemMib?: number | null
}

export type ProjectDeed =
  | { readonly kind: "create"; readonly at: number; readonly name: string }
  | { readonly kind: "rename"; readonly at: number; readonly name: string }
  | {
      readonly kind: "patch"
      readonly at: number
      /** `before` = a name that it had, or a wrong one. */
      readonly named: "rightly" | "wrongly" | "not"
      readonly settings: ProjectSettings
    }
  | { readonly kind: "delete"; readonly at: number }
  /** By another account. */
  | { readonly kind: "steal"; readonly at: number }

type Anywhere<Deed> = Deed extends { readonly at: number }
  ? Omit<Deed, "at"> & { readonly nth: number }
  : never
/** The same with an ordinal. */
export type ProjectCommand = Anywhere<ProjectDeed>

/** The fields of a project that are read. */
export interface ProjectView {
  readonly name: string
  readonly connectionsPerIpPerMin: number | null
  readonly vmMemMib: number | null
}

/** By their number, from 0; null = deleted. */
export type ProjectState = ReadonlyArray<ProjectView | null>

const gone = "404 E_NOT_FOUND"
const bad = "400 E_BAD_REQUEST"

/** What PATCH takes: 1 to 100,000 and 128 to 4096. Source: T-25; spec: Project settings. */
const isTaken = ({ connectionsPerIpPerMin, vmMemMib }: ProjectSettings): boolean =>
  inRange(connectionsPerIpPerMin, { min: 1, max: 100_000 }) &&
  inRange(vmMemMib, { min: 128, max: 4096 })

const inRange = (
  value: number | null | undefined,
  { min, max }: { readonly min: number; readonly max: number }
): boolean =>
  value === undefined || value === null || (Number.isInteger(value) && value >= min && value <= max)

/** Projects of an account. Spec: Project settings; D-12, D-13. */
const projectMachine: Machine<ProjectState, ProjectDeed, ProjectState> = {
  initial: [],
  view: (state) => state,
  step: (state, deed) => {
    const same = (answer: string): ReadonlyArray<Outcome<ProjectState>> => [{ answer, state }]
    const put = (view: ProjectView | null): ReadonlyArray<Outcome<ProjectState>> => [
      { answer: "ok", state: state.with(deed.at, view) }
    ]
    if (deed.kind === "create") {
      const made = { name: deed.name, connectionsPerIpPerMin: null, vmMemMib: null }
      return [{ answer: "ok", state: [...state, made] }]
    }
    const project = state[deed.at]
    if (project === undefined) return []
    if (project === null || deed.kind === "steal") return same(gone)
    switch (deed.kind) {
      case "rename":
        return put({ ...project, name: deed.name })
      case "patch":
        return deed.named === "rightly" && isTaken(deed.settings)
          ? put({ ...project, ...deed.settings })
          : same(bad)
      case "delete":
        return put(null)
    }
  }
}

export const projectModel: Model<ProjectState, ProjectCommand, ProjectDeed, ProjectState> = {
  machine: projectMachine,
  bind: (command, { before }) => {
    const made = before.filter(({ kind }) => kind === "create").length
    const { nth, ...deed } = command
    if (deed.kind === "create") return { ...deed, at: made }
    return made === 0 ? null : { ...deed, at: Math.min(nth, made - 1) }
  },
  tell: (deed) => {
    const project = `project ${deed.at + 1}`
    switch (deed.kind) {
      case "create":
      case "rename":
        return `${deed.kind} ${project} "${deed.name}"`
      case "patch":
        return `patch ${project}, ${deed.named} named, ${JSON.stringify(deed.settings)}`
      case "delete":
        return `delete ${project}`
      case "steal":
        return `another account deletes ${project}`
    }
  }
}

const nth = fc.nat({ max: 5 })
const name = fc.constantFrom("arena", "Arena 2", "läufer", "arena")
const connections = fc.constantFrom(null, 1, 120, 100_000, 0, 100_001)
const memory = fc.constantFrom(null, 128, 512, 4096, 127, 4097, 256.5)
const settings: fc.Arbitrary<ProjectSettings> = fc.record(
  { connectionsPerIpPerMin: connections, vmMemMib: memory },
  { requiredKeys: [] }
)
const patch = (
  named: fc.Arbitrary<Extract<ProjectDeed, { readonly kind: "patch" }>["named"]>
): fc.Arbitrary<ProjectCommand> =>
  fc.record({ kind: fc.constant("patch" as const), nth, named, settings })

export const projectCommands: ReadonlyArray<fc.Arbitrary<ProjectCommand>> = [
  fc.record({ kind: fc.constant("create" as const), nth, name }),
  fc.record({ kind: fc.constant("rename" as const), nth, name }),
  patch(fc.constant("rightly")),
  patch(fc.constantFrom("rightly", "wrongly", "not")),
  fc.record({ kind: fc.constant("delete" as const), nth }),
  fc.record({ kind: fc.constant("steal" as const), nth })
]
