import fc from "fast-check"

import type { Machine, Model, Outcome } from "./Machine.ts"

export type Scope = "rooms:read" | "rooms:write"

/** Where a key is used. `elsewhere` = in another account's project, `nowhere` = in none. */
type Place = "own" | "elsewhere" | "nowhere"
type RoomRoute = "list" | "read" | "saves" | "patch" | "delete" | "restore"
type KeyRoute = "mint" | "list" | "revoke itself"

export type KeyDeed =
  | { readonly kind: "mint"; readonly label: string; readonly scopes: ReadonlyArray<Scope> }
  | {
      readonly kind: "use"
      readonly label: string
      readonly route: RoomRoute
      readonly place: Place
    }
  | { readonly kind: "manage"; readonly label: string; readonly route: KeyRoute }
  | { readonly kind: "revoke"; readonly label: string }
  /** By another account: through the project, or through a project of its own. */
  | { readonly kind: "steal"; readonly label: string; readonly by: "this" | "other project" }

/** The same with an ordinal for a label. */
export type KeyCommand =
  | { readonly kind: "mint"; readonly scopes: ReadonlyArray<Scope> }
  | {
      readonly kind: "use"
      readonly nth: number
      readonly route: RoomRoute
      readonly place: Place
    }
  | { readonly kind: "manage"; readonly nth: number; readonly route: KeyRoute }
  | { readonly kind: "revoke"; readonly nth: number }
  | { readonly kind: "steal"; readonly nth: number; readonly by: "this" | "other project" }

/** A row of the listing. */
export interface KeyView {
  readonly label: string
  readonly scopes: ReadonlyArray<string>
  readonly revoked: boolean
  /** It was used at least once, and let in. */
  readonly used: boolean
}

/** By label, in the order of minting. */
export type KeyState = ReadonlyArray<KeyView>

const unauthenticated = "401 E_UNAUTHENTICATED"
const reads: ReadonlySet<RoomRoute> = new Set(["list", "read", "saves"])

const mayDo = ({ scopes }: KeyView, route: RoomRoute): boolean =>
  scopes.includes("rooms:write") || (reads.has(route) && scopes.includes("rooms:read"))

/** The keys of one project. Spec: Project API keys; Authentication 1 to 6. */
export const keyMachine: Machine<KeyState, KeyDeed, KeyState> = {
  initial: [],
  view: (state) => state,
  step: (state, deed) => {
    const same = (answer: string): ReadonlyArray<Outcome<KeyState>> => [{ answer, state }]
    const changed = (
      answer: string,
      change: Partial<KeyView>
    ): ReadonlyArray<Outcome<KeyState>> => [
      {
        answer,
        state: state.map((key) => (key.label === deed.label ? { ...key, ...change } : key))
      }
    ]
    if (deed.kind === "mint") {
      const key = { label: deed.label, scopes: deed.scopes, revoked: false, used: false }
      return [{ answer: "ok", state: [...state, key] }]
    }
    const key = state.find(({ label }) => label === deed.label)
    if (key === undefined) return []
    switch (deed.kind) {
      case "use": {
        if (key.revoked) return same(unauthenticated)
        if (deed.place !== "own") return same("404 E_NOT_FOUND")
        if (!mayDo(key, deed.route)) return same("403 E_SCOPE")
        if (deed.route === "list") return changed("ok", { used: true })
        // Nobody says whether what was not found counts as a use.
        const notFound = "404 E_ROOM_NOT_FOUND"
        return [...changed(notFound, { used: true }), ...same(notFound)]
      }
      case "manage":
        return same(unauthenticated)
      case "revoke":
        return changed("ok", { revoked: true })
      case "steal":
        return same("404")
    }
  }
}

const labelsOf = (before: ReadonlyArray<KeyDeed>): ReadonlyArray<string> =>
  before.flatMap((deed) => (deed.kind === "mint" ? deed.label : []))

/** Keys as the commands of a sequence see them. */
export const keyModel: Model<KeyState, KeyCommand, KeyDeed, KeyState> = {
  machine: keyMachine,
  bind: (command, { before }) => {
    const labels = labelsOf(before)
    if (command.kind === "mint") return { ...command, label: `key ${labels.length + 1}` }
    const { nth, ...rest } = command
    // The last, when there are not so many: what is taken out after it changes nothing.
    const label = labels[nth] ?? labels.at(-1)
    return label === undefined ? null : { ...rest, label }
  },
  tell: (deed) => {
    switch (deed.kind) {
      case "mint":
        return `mint ${deed.label} (${deed.scopes.join("+")})`
      case "use": {
        const place = { own: "", elsewhere: " in another's project", nowhere: " in no project" }
        return `${deed.route} with ${deed.label}${place[deed.place]}`
      }
      case "manage":
        return `${deed.route === "mint" ? "mint" : deed.route} as ${deed.label}`
      case "revoke":
        return `revoke ${deed.label}`
      case "steal":
        return `another account revokes ${deed.label} through ${deed.by === "this" ? "it" : "its own"}`
    }
  }
}

const nth = fc.nat({ max: 5 })
// In the order in which they compare.
const scopeSets: ReadonlyArray<ReadonlyArray<Scope>> = [
  ["rooms:read"],
  ["rooms:write"],
  ["rooms:read", "rooms:write"]
]
const routes = fc.constantFrom<RoomRoute>("list", "read", "saves", "patch", "delete", "restore")
const use = (places: fc.Arbitrary<Place>): fc.Arbitrary<KeyCommand> =>
  fc.record({ kind: fc.constant("use" as const), nth, route: routes, place: places })

/** The commands that are tried, the frequent ones twice. */
export const keyCommands: ReadonlyArray<fc.Arbitrary<KeyCommand>> = [
  fc.record({ kind: fc.constant("mint" as const), scopes: fc.constantFrom(...scopeSets) }),
  use(fc.constant("own")),
  use(fc.constant("own")),
  use(fc.constantFrom("elsewhere", "nowhere")),
  fc.record({ kind: fc.constant("revoke" as const), nth }),
  fc.record({
    kind: fc.constant("manage" as const),
    nth,
    route: fc.constantFrom<KeyRoute>("mint", "list", "revoke itself")
  }),
  fc.record({
    kind: fc.constant("steal" as const),
    nth,
    by: fc.constantFrom("this" as const, "other project" as const)
  })
]

const mintOf = (...scopes: ReadonlyArray<Scope>): KeyCommand => ({ kind: "mint", scopes })
const revokeOf = (nth: number): KeyCommand => ({ kind: "revoke", nth })
const useOf = (nth: number, route: RoomRoute): KeyCommand => ({
  kind: "use",
  nth,
  route,
  place: "own"
})

/** Keys are made, used and revoked, each again after another. */
export const keyStory: ReadonlyArray<KeyCommand> = [
  mintOf("rooms:read"),
  mintOf("rooms:write"),
  useOf(0, "list"),
  revokeOf(0),
  mintOf("rooms:read"),
  useOf(0, "list"),
  revokeOf(0),
  useOf(0, "list"),
  useOf(2, "patch"),
  useOf(2, "list"),
  { kind: "steal", nth: 1, by: "other project" },
  { kind: "manage", nth: 1, route: "revoke itself" },
  useOf(1, "patch"),
  revokeOf(2),
  mintOf("rooms:read", "rooms:write"),
  revokeOf(1),
  useOf(3, "restore"),
  useOf(1, "list"),
  useOf(0, "list")
]
