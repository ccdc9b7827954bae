import type { Project } from "./Project.ts"

/** Room code that the suite ships: what each must do is in docs/conformance-adapter.md. */
export type FixtureName =
  | "probe"
  | "next"
  | "breaking"
  | "elsewhere"
  | "relay"
  | "relaynext"
  | "physics"

/** A schema in numbers; what is absent is none. */
export interface SchemaDescription {
  /** Fields of one entity. */
  readonly entityFields?: number
  /** Fields of one singleton. */
  readonly singletonFields?: number
  readonly messages?: number
  readonly clientRpcs?: number
  readonly serverRpcs?: number
  /** The most bytes that the persisted fields of one player take when they are stored. */
  readonly playerBytes?: number
  /** Seconds that its rooms record of themselves. */
  readonly replaySeconds?: number
  /** The lifetime of what they record. */
  readonly replayTtl?: string
  /** Ticks of the history of a physics world. */
  readonly physicsHistory?: number
  /** History channels of a collection that is bound to a physics world. */
  readonly physicsChannels?: number
}

/** A program that joins with the implementation's own client library. */
export interface LibraryClient {
  /** `null` = the program names no project. */
  readonly project: string | null
  readonly room: string
  readonly type: string
  /** It looks for so long after its room has ended for it, and for as long if that never comes. */
  readonly forMs: number
}

/** The outcome of such a program. */
export interface ClientFate {
  readonly joined: boolean
  /** The library has given the room up, and told the program. */
  readonly ended: boolean
  /** The library's words for why it did not come in; `null` when it did, or when the adapter tells none. */
  readonly why: string | null
  /** Addresses that it has opened WebSockets to, in order. */
  readonly sockets: ReadonlyArray<string>
}

/** A room with a physics world, and the budgets that a client of it gives to the prediction; absent = none is given. */
export interface PredictedRoom {
  /** Bodies of the client's player. */
  readonly own: number
  /** All others. */
  readonly others: number
  readonly maxPredictedBodies?: number
  readonly maxProxyBodies?: number
}

/** How the world of a client treats bodies: it simulates them, moves them by itself as kinematic ones, or has no collider. */
export interface LocalBodies {
  readonly simulated: number
  readonly kinematic: number
  readonly without: number
}

/** What the client library makes of it, or the words of its refusal. */
export type RoomPrediction =
  | { readonly own: LocalBodies; readonly others: LocalBodies }
  | { readonly refused: string }

export interface FixtureProbe {
  /** Deploys room code to a project; `Unsupported` when there is no adapter for it. */
  deploy(project: Project, fixture: FixtureName): Promise<void>
  /** Whether the schema library takes a schema: `null`, or the words of its refusal. */
  schema(description: SchemaDescription): Promise<string | null>
  client(client: LibraryClient): Promise<ClientFate>
  prediction(room: PredictedRoom): Promise<RoomPrediction>
}
