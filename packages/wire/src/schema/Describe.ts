import type {
  FieldDescriptor,
  MessageDescriptor,
  NamedFieldDescriptor,
  RpcDescriptor,
  SchemaDescriptor,
  ShapeDescriptor
} from "./Descriptor.ts"
import type { AnyField } from "./Field.ts"
import { isNested } from "./FieldSpec.ts"
import type { AnyRoomSchema, FieldList, RpcShape, StateShape } from "./RoomSchema.ts"

/** The schema as plain JSON. `fromDescriptor` gives an equal schema back. */
export const describe = (schema: AnyRoomSchema): SchemaDescriptor => ({
  format: allFields(schema).some(({ field }) => isNested(field.spec)) ? 2 : 1,
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
  ...(schema.physics === null ? {} : { physics: schema.physics }),
  project: schema.project,
  ...describeLayout(schema),
  rpc: {
    client: schema.rpc.client.list.map((rpc) => describeRpc(rpc, rpc.durable)),
    server: schema.rpc.server.list.map((rpc) => describeRpc(rpc, rpc.durable))
  }
})

/** Every field of a schema, wherever it is. */
const allFields = ({
  singletons,
  collections,
  messages,
  rpc,
  player
}: AnyRoomSchema): FieldList => {
  const calls = [...rpc.client.list, ...rpc.server.list]
  const payloads = calls.flatMap(({ args, returns }) => [args, returns])
  const shapes = [...singletons.list, ...collections.list, ...messages.list]
  return [player, ...payloads, ...shapes.map(({ fields }) => fields)].flatMap((list) => list ?? [])
}

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

/** Kind and bounds without the default. The keys are in the order in which the hash takes them. */
export const describeKind = ({ spec, item, key, fields }: AnyField): FieldDescriptor => {
  const { default: _, ...kind } = spec
  switch (kind.kind) {
    case "list":
    case "optional":
      return { ...kind, of: describeInner(item) }
    case "map":
      return { ...kind, key: describeInner(key), value: describeInner(item) }
    case "struct":
      return { ...kind, fields: describeFields(fields) }
    default:
      return kind
  }
}

// Every kind that holds others has them.
const describeInner = (field: AnyField | null): FieldDescriptor =>
  field === null ? { kind: "" } : describeKind(field)

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
  ...describeKind(field),
  ...describeDefault(field)
})

/** Left out when it is what the kind has anyway, so that writing it down changes no hash. */
const describeDefault = (field: AnyField): { readonly default?: unknown } => {
  const value = field.default
  switch (field.spec.kind) {
    case "enum":
    case "struct":
    case "map":
    case "optional":
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
