import {
  DescriptorFormat,
  type FieldDescriptor,
  type MessageDescriptor,
  type NamedFieldDescriptor,
  type RpcDescriptor,
  type SchemaDescriptor,
  type ShapeDescriptor
} from "./Descriptor.ts"
import type { AnyField } from "./Field.ts"
import type { FieldSpec, ItemSpec } from "./FieldSpec.ts"
import type { AnyRoomSchema, FieldList, RpcShape, StateShape } from "./RoomSchema.ts"

/** The schema as plain JSON. `fromDescriptor` gives an equal schema back. */
export const describe = (schema: AnyRoomSchema): SchemaDescriptor => ({
  format: DescriptorFormat,
  type: schema.type,
  class: schema.class,
  maxClients: schema.maxClients,
  tickHz: schema.tickHz,
  hibernateAfterMs: schema.hibernateAfterMs,
  reconnectForMs: schema.reconnectForMs,
  retention: schema.retention,
  ...(schema.queue === null ? {} : { queue: schema.queue }),
  ...(schema.voice === null ? {} : { voice: { participants: schema.voice.participants } }),
  ...(schema.replay === null ? {} : { replay: schema.replay }),
  project: schema.project,
  ...describeLayout(schema),
  rpc: {
    client: schema.rpc.client.list.map((rpc) => describeRpc(rpc, rpc.durable)),
    server: schema.rpc.server.list.map((rpc) => describeRpc(rpc, rpc.durable))
  }
})

/** The part that decides what bytes mean. Its JSON text is what `schemaHash` hashes. */
export const describeLayout = (
  schema: AnyRoomSchema
): Pick<SchemaDescriptor, "singletons" | "entities" | "messages" | "rpc" | "player"> => ({
  singletons: schema.singletons.list.map(describeShape),
  entities: schema.collections.list.map(describeShape),
  messages: schema.messages.list.map(({ name, fields }): MessageDescriptor =>
    fields === null ? { name } : { name, fields: describeFields(fields) }
  ),
  rpc: {
    client: schema.rpc.client.list.map((rpc) => describeRpc(rpc, false)),
    server: schema.rpc.server.list.map((rpc) => describeRpc(rpc, false))
  },
  player: describeFields(schema.player)
})

/** Kind and bounds without the default. */
export const describeKind = (spec: FieldSpec): FieldDescriptor => {
  if (spec.kind !== "list") return describeItem(spec)
  return { kind: spec.kind, of: describeItem(spec.of), maxLength: spec.maxLength }
}

/** Two lower-case digits per byte. */
const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const describeShape = (shape: StateShape): ShapeDescriptor => ({
  name: shape.name,
  fields: describeFields(shape.fields)
})

const describeRpc = (rpc: RpcShape, durable: boolean): RpcDescriptor => {
  const payload = (fields: FieldList | null): "untyped" | ReadonlyArray<NamedFieldDescriptor> =>
    fields === null ? "untyped" : describeFields(fields)
  return {
    name: rpc.name,
    ...(rpc.args?.length === 0 ? {} : { args: payload(rpc.args) }),
    ...(rpc.returns?.length === 0 ? {} : { returns: payload(rpc.returns) }),
    ...(durable ? { durable } : {})
  }
}

const describeFields = (fields: FieldList): ReadonlyArray<NamedFieldDescriptor> =>
  fields.map(({ name, field }) => ({ name, ...describeField(field) }))

const describeField = (field: AnyField): FieldDescriptor => ({
  ...describeKind(field.spec),
  ...describeDefault(field)
})

const describeItem = (spec: ItemSpec): FieldDescriptor => {
  switch (spec.kind) {
    case "quantised":
      return { kind: spec.kind, min: spec.min + 0, max: spec.max + 0, step: spec.step }
    case "string":
    case "bytes":
      return { kind: spec.kind, maxBytes: spec.maxBytes }
    case "enum":
      return { kind: spec.kind, choices: spec.choices }
    case "ref":
      return { kind: spec.kind, collection: spec.collection }
    default:
      return { kind: spec.kind }
  }
}

/** Left out when it is what the kind has anyway, so that writing it down changes no hash. */
const describeDefault = (field: AnyField): { readonly default?: unknown } => {
  const value = field.default
  switch (field.spec.kind) {
    case "enum":
      return {}
    case "quantised":
      return { default: value }
    default:
      break
  }
  if (value === 0 || value === false || value === "") return {}
  if (value instanceof Uint8Array) return value.length === 0 ? {} : { default: hexOf(value) }
  if (!Array.isArray(value)) return { default: value }
  if (value.length === 0) return {}
  const plain = (item: unknown): unknown => (item instanceof Uint8Array ? hexOf(item) : item)
  return { default: value.map(plain) }
}
