import type {
  PhysicsDefinition,
  ReplayDefinition,
  RpcDefinition,
  SchemaDefinition,
  VoiceDefinition
} from "./Definition.ts"
import { isField } from "./Field.ts"
import { SchemaError } from "./SchemaError.ts"
import { unknownKey } from "./UnknownKey.ts"
import { isUntyped } from "./Untyped.ts"

/** Throws `SchemaError` for an unknown key of a definition, and for what is no group of declarations. */
export const checkDefinition = (definition: SchemaDefinition): void => {
  demandKnown("", definition, DefinitionKeys)
  const { entities, singletons, messages, rpc, player } = definition
  if (rpc !== undefined) demandKnown("rpc.", rpc, RpcSideKeys)
  if (definition.voice !== undefined) demandKnown("voice.", definition.voice, VoiceKeys)
  if (definition.replay !== undefined) demandKnown("replay.", definition.replay, ReplayKeys)
  if (definition.physics !== undefined) demandKnown("physics.", definition.physics, PhysicsKeys)
  demandShapes({ entities, singletons })
  eachOf("messages", messages, demandPayload)
  eachOf("rpc.client", rpc?.client, demandRpc)
  eachOf("rpc.server", rpc?.server, demandRpc)
  if (player !== undefined) demandFields("player", player)
}

const DefinitionKeys = Object.keys({
  type: true,
  class: true,
  maxClients: true,
  tickHz: true,
  hibernateAfterMs: true,
  reconnectForMs: true,
  retention: true,
  queue: true,
  voice: true,
  replay: true,
  physics: true,
  project: true,
  entities: true,
  singletons: true,
  messages: true,
  rpc: true,
  player: true
} satisfies Record<keyof SchemaDefinition, true>)

const RpcSideKeys = Object.keys({
  client: true,
  server: true
} satisfies Record<keyof NonNullable<SchemaDefinition["rpc"]>, true>)

const RpcKeys = Object.keys({
  args: true,
  returns: true,
  durable: true
} satisfies Record<keyof RpcDefinition, true>)

const ReplayKeys = Object.keys({
  seconds: true,
  ttl: true
} satisfies Record<keyof ReplayDefinition, true>)

const PhysicsKeys = Object.keys({
  dimensions: true,
  history: true
} satisfies Record<keyof PhysicsDefinition, true>)

const VoiceKeys = Object.keys({ participants: true } satisfies Record<keyof VoiceDefinition, true>)

// Plain JavaScript may put anything in the place of a group.

const isGroup = (group: unknown): group is object =>
  typeof group === "object" && group !== null && !Array.isArray(group)

/** `path` ends with the dot before the key. */
export const demandKnown = (path: string, declared: object, known: ReadonlyArray<string>): void => {
  if (!isGroup(declared)) {
    throw new SchemaError(`${path === "" ? "schema" : path.slice(0, -1)}: must be an object`)
  }
  const problem = unknownKey(declared, known)
  if (problem !== null) throw new SchemaError(path + problem)
}

const eachOf = (
  path: string,
  group: unknown,
  demand: (path: string, declared: unknown) => void
): void => {
  if (group === undefined) return
  if (!isGroup(group)) throw new SchemaError(`${path}: must be an object`)
  for (const [name, declared] of Object.entries(group)) demand(`${path}.${name}`, declared)
}

/** Throws `SchemaError` for a group of shapes that is none. */
export const demandShapes = (groups: {
  readonly entities: unknown
  readonly singletons: unknown
}): void => {
  eachOf("entities", groups.entities, demandFields)
  eachOf("singletons", groups.singletons, demandFields)
}

const demandFields = (path: string, fields: unknown): void => {
  if (isField(fields)) throw new SchemaError(`${path}: must be an object of fields`)
  if (!isGroup(fields)) throw new SchemaError(`${path}: must be an object`)
}

const demandPayload = (path: string, payload: unknown): void => {
  if (!isUntyped(payload)) demandFields(path, payload)
}

const demandRpc = (path: string, rpc: unknown): void => {
  demandKnown(`${path}.`, Object(rpc) === rpc ? Object(rpc) : [], RpcKeys)
  const { args = {}, returns = {}, durable } = Object(rpc)
  if (durable !== undefined && typeof durable !== "boolean") {
    throw new SchemaError(`${path}.durable: must be true or false`)
  }
  demandPayload(`${path}.args`, args)
  demandPayload(`${path}.returns`, returns)
}
