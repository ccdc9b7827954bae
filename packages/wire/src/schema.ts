/** Schemas: what a room's state, messages, RPCs and persisted player fields hold. */
export { defineSchema } from "./schema/DefineSchema.ts"
export type { Fields, RpcDefinition, SchemaDefinition } from "./schema/Definition.ts"
export { s } from "./schema/FieldKinds.ts"
export type { DefaultOption, NumberField, QuantisedOptions, Untyped } from "./schema/FieldKinds.ts"
export { SchemaError } from "./schema/SchemaError.ts"
export { FieldError } from "./schema/FieldError.ts"
export type {
  ClientRpcsOf,
  Collection,
  CollectionView,
  EntityOf,
  EntityViewOf,
  MessagesOf,
  PayloadOf,
  PlayerOf,
  SeenAnswersOf,
  SeenArgsOf,
  SeenMessagesOf,
  SeenOf,
  SeenPayloadOf,
  SeenValueOf,
  ServerRpcsOf,
  StateOf,
  ValueOf,
  ValuesOf,
  ViewOf
} from "./schema/Inference.ts"
export type {
  AnyRoomSchema,
  FieldList,
  MessageShape,
  NamedField,
  RoomSchema,
  RpcShape,
  Shapes,
  StateShape
} from "./schema/RoomSchema.ts"
export type { AnyField, Field, ItemField } from "./schema/Field.ts"
export { breakingDifference } from "./schema/BreakingDifference.ts"
export { schemaHash } from "./schema/SchemaHash.ts"
export { describe } from "./schema/Describe.ts"
export { fromDescriptor } from "./schema/FromDescriptor.ts"
export type {
  FieldDescriptor,
  MessageDescriptor,
  NamedFieldDescriptor,
  RpcDescriptor,
  SchemaDescriptor,
  ShapeDescriptor
} from "./schema/Descriptor.ts"
