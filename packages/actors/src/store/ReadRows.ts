import { Effect, Schema, String } from "effect"

/**
 * Reads rows as the service's code names them: the column `created_at_ms` is the field `createdAtMs`, and a `bigint` is a
 * number. Columns without a field are left out. A failing store, and a row that does not fit, are defects.
 */
export const readRows = <Fields extends Schema.Struct.Fields>(row: Schema.Struct<Fields>) => {
  const names = Object.keys(row.fields).map((name) => [name, String.camelToSnake(name)] as const)
  const named = (found: object): object =>
    Object.fromEntries(names.map(([name, column]) => [name, plain(Reflect.get(found, column))]))
  const decode = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(row)))
  return <E, R>(query: Effect.Effect<ReadonlyArray<object>, E, R>) =>
    Effect.orDie(Effect.flatMap(query, (rows) => decode(rows.map(named))))
}

const plain = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value)
