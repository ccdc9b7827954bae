import type { DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"
import {
  breakingDifference,
  describe,
  fromDescriptor,
  type NamedFieldDescriptor
} from "@atrium/wire/schema"
import { playerDifference } from "@atrium/wire/schema/PartDifference"
import { playerHash, playerUnion, playerUnionFields } from "@atrium/wire/schema/PlayerUnion"

import type { DescribedBundle } from "./DescribedBundle.ts"
import type { Change, NamedFields, NamedSchema, TypeChange } from "./MigrationText.ts"

/** A deployed version, with its schemas. */
export type Read = Pick<DeploymentRead, "version" | "schemas" | "players">

/** What is deployed now, and what older versions declared last of types that come back. */
export interface DeployedSchemas {
  readonly current: Read
  readonly earlier: ReadonlyArray<{ readonly type: string; readonly read: Read }>
}

/** What a bundle changes so that a migration has to lead over it; `null` = nothing. */
export const foundChange = (
  { current, earlier }: DeployedSchemas,
  { types }: DescribedBundle
): Change | null => {
  const declared = [...current.schemas.map(({ type }) => ({ type, read: current })), ...earlier]
  const changes = declared.flatMap(({ type, read }) => {
    const before = schemaIn(read, type)
    return before === null ? [] : (changeOf({ type, version: read.version, before }, types) ?? [])
  })
  const breaksPlayers = changes.some(({ before, after }) => playersBreak(before, after))
  const players = breaksPlayers ? playersOf(current, types) : null
  if (changes.length === 0) return null
  return { version: current.version, next: current.version + 1, types: changes, players }
}

const schemaIn = ({ schemas }: Read, type: string): NamedSchema | null => {
  const found = schemas.find((each) => each.type === type)
  return found === undefined
    ? null
    : { hash: found.hash, schema: describe(fromDescriptor(found.schema)) }
}

const changeOf = (
  was: Pick<TypeChange, "type" | "version" | "before">,
  types: DescribedBundle["types"]
): TypeChange | null => {
  const after = types.get(was.type) ?? null
  if (after === null) return { ...was, after, difference: "the room type is gone" }
  if (after.hash === was.before.hash) return null
  const difference = breakingDifference(
    fromDescriptor(was.before.schema),
    fromDescriptor(after.schema)
  )
  return difference === null ? null : { ...was, after, difference }
}

const playersBreak = (before: NamedSchema, after: NamedSchema | null): boolean => {
  const [old, next] = [fromDescriptor(before.schema), after && fromDescriptor(after.schema)]
  return playerDifference(old.player, next?.player ?? []) !== null
}

const playersOf = (current: Read, types: DescribedBundle["types"]): Change["players"] => {
  const told: ReadonlyArray<unknown> = current.players.fields
  // The service has proven them; their keys come in its order.
  const fields = told as ReadonlyArray<NamedFieldDescriptor>
  const before: NamedFields = { hash: current.players.hash, fields }
  const union = playerUnion([...types.values()].map(({ schema }) => schema))
  const after: NamedFields = { hash: playerHash(union), fields: union }
  const [old, next] = [playerUnionFields(fields), playerUnionFields(union)]
  return playerDifference(old, next) === null ? null : { before, after }
}
