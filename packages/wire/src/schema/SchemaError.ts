/**
 * A schema that cannot be built: past a limit, a bad name, a bound that makes no sense.
 * The message starts with the culprit (`entities.players.hp: …`). Source: spec Errors rule 2.
 */
export class SchemaError extends Error {
  override readonly name = "SchemaError"
}
