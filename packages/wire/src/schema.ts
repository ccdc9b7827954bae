/** Schemas: what a room's state, messages, RPCs and persisted player fields hold. */
export { defineSchema } from "./schema/DefineSchema.ts"
export type { Fields, RpcDefinition, SchemaDefinition } from "./schema/Definition.ts"
export { s } from "./schema/FieldKinds.ts"
export type { DefaultOption, NumberField, QuantisedOptions } from "./schema/FieldKinds.ts"
export type { Untyped } from "./schema/Untyped.ts"
export { SchemaError } from "./schema/SchemaError.ts"
export { FieldError } from "./schema/FieldError.ts"
export type {
  MapOf,
  SeenOf,
  SeenValueOf,
  StructOf,
  ValueOf,
  ValuesOf
} from "./schema/FieldValues.ts"
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
  SeenPayloadOf,
  ServerRpcsOf,
  StateOf,
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
export type { AnyField, Field } from "./schema/Field.ts"
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
