import { SchemaLimits } from "./SchemaLimits.ts"

/** Names of state, and of fields. */
const StateNamePattern = /^[A-Za-z][A-Za-z0-9_]*$/
/** Names of messages and RPCs. */
export const CallNamePattern = /^[A-Za-z][A-Za-z0-9_.:-]*$/

/** Says what is wrong with a name of a schema, `null` when nothing is. */
export const nameProblem = (name: string, pattern = StateNamePattern): string | null => {
  const max = SchemaLimits.schemaNameChars.max
  if (name.length > max) return `a name of ${name.length} characters is over ${max}`
  if (!pattern.test(name)) {
    return `a name is a letter, then letters, digits or _${pattern === StateNamePattern ? "" : " . : -"}`
  }
  // Every object has these: a value that was left out would seem to be there.
  return name === "toJSON" || name in {} ? "the name is taken by every record" : null
}
