import type { AnyField } from "./Field.ts"
import type { SettingsDefinition } from "./Settings.ts"

/** Fields with their names, in wire order; `null` = untyped. */
export type FieldEntries = ReadonlyArray<readonly [name: string, field: AnyField]>
export type Entries<T> = ReadonlyArray<readonly [name: string, value: T]>

export interface RpcParts {
  readonly args: FieldEntries | null
  readonly returns: FieldEntries | null
  readonly durable: boolean
}

/** A definition with its order made explicit: what both a program and a descriptor come down to. */
export interface SchemaParts {
  readonly settings: SettingsDefinition
  readonly singletons: Entries<FieldEntries>
  readonly entities: Entries<FieldEntries>
  readonly messages: Entries<FieldEntries | null>
  readonly clientRpcs: Entries<RpcParts>
  readonly serverRpcs: Entries<RpcParts>
  readonly player: FieldEntries
}
