import type { AnsweredCall } from "@atrium/actors/rooms/AnsweredCall"
import type { NounTables } from "@atrium/actors/store/NounTables"
import type { Effect, Layer } from "effect"
import type { HttpApiGroup } from "effect/http-api"

import type { Hooks } from "./control/Hook.ts"
import type { OpenRate } from "./http/OpenRates.ts"
import type { Page } from "./http/Page.ts"

/** Groups of the HTTP contract and the handlers of exactly these groups, or neither. */
type Answered<Group extends HttpApiGroup.Constraint, Needs> =
  | {
      readonly contract: ReadonlyArray<Group>
      readonly handlers: Layer.Layer<HttpApiGroup.ToService<"atrium", Group>, never, Needs>
    }
  | { readonly contract?: never; readonly handlers?: never }

/** Loads hooks of the control listener; without test mode nothing of them is loaded. Source: D-49. */
type LoadHooks<Needs> = () => Promise<{ readonly hooks: Effect.Effect<Hooks, never, Needs> }>

interface Parts<PageNeeds, Provided, LayerNeeds, HookNeeds, ActorNeeds, CallNeeds> {
  /** The folder of the feature in each package. */
  readonly noun: string
  /** Paths below which everything is a developer's own, what is not built yet included. */
  readonly loginPaths?: ReadonlyArray<`/v1/${string}`>
  /** Routes outside of the contract, for people and operators. */
  readonly pages?: ReadonlyArray<Page<PageNeeds>>
  /** The rate limits that the handlers pass to `OpenRates`. */
  readonly rates?: ReadonlyArray<OpenRate>
  /** Its tables in the database, and what goes when a project is deleted. */
  readonly tables?: NounTables
  /** What room code may ask of the noun, by the name below the noun. */
  readonly calls?: { readonly [name: string]: AnsweredCall<CallNeeds> }
  /** Services that only the handlers and the in-room calls need. */
  readonly layers?: Layer.Layer<Provided, never, LayerNeeds>
  /** Entities and singletons, which every runner of the service has. */
  readonly actors?: Layer.Layer<never, never, ActorNeeds>
  /** The hooks of test mode for the noun. */
  readonly control?: ReadonlyArray<LoadHooks<HookNeeds>>
}

/** Everything that the service derives from one noun; a part that the noun lacks is empty. */
export interface Feature<
  Group extends HttpApiGroup.Constraint,
  Needs,
  PageNeeds,
  Provided,
  LayerNeeds,
  HookNeeds,
  ActorNeeds,
  CallNeeds
> {
  readonly noun: string
  readonly contract: ReadonlyArray<Group>
  readonly handlers: ReadonlyArray<
    Layer.Layer<HttpApiGroup.ToService<"atrium", Group>, never, Needs>
  >
  readonly loginPaths: ReadonlyArray<`/v1/${string}`>
  readonly pages: ReadonlyArray<Page<PageNeeds>>
  readonly rates: ReadonlyArray<OpenRate>
  readonly tables: NounTables
  /** By their whole names. */
  readonly calls: ReadonlyArray<readonly [string, AnsweredCall<CallNeeds>]>
  readonly layers: ReadonlyArray<Layer.Layer<Provided, never, LayerNeeds>>
  readonly actors: ReadonlyArray<Layer.Layer<never, never, ActorNeeds>>
  readonly control: ReadonlyArray<LoadHooks<HookNeeds>>
}

const noTables: NounTables = { migrations: {}, purge: [] }

/** Assembles a feature. The compiler refuses a group of the contract without its handlers. */
export const defineFeature = <
  Group extends HttpApiGroup.Constraint = never,
  Needs = never,
  PageNeeds = never,
  Provided = never,
  LayerNeeds = never,
  HookNeeds = never,
  ActorNeeds = never,
  CallNeeds = never
>(
  parts: Answered<Group, Needs> &
    Parts<PageNeeds, Provided, LayerNeeds, HookNeeds, ActorNeeds, CallNeeds>
): Feature<Group, Needs, PageNeeds, Provided, LayerNeeds, HookNeeds, ActorNeeds, CallNeeds> => ({
  noun: parts.noun,
  contract: parts.contract ?? [],
  handlers: parts.handlers === undefined ? [] : [parts.handlers],
  loginPaths: parts.loginPaths ?? [],
  pages: parts.pages ?? [],
  rates: parts.rates ?? [],
  tables: parts.tables ?? noTables,
  calls: Object.entries(parts.calls ?? {}).map(([name, call]) => [`${parts.noun}.${name}`, call]),
  layers: parts.layers === undefined ? [] : [parts.layers],
  actors: parts.actors === undefined ? [] : [parts.actors],
  control: parts.control ?? []
})
