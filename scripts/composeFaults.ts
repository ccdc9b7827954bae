import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

import { Ajv } from "ajv"

/** What does not fit the schema of the Compose specification, which dclint ships. */
export const composeFaults = (document: unknown): ReadonlyArray<string> => {
  const dclint = dirname(createRequire(import.meta.url).resolve("dclint/package.json"))
  const { $schema: _, ...schema } = JSON.parse(
    readFileSync(join(dclint, "schemas/compose.schema.json"), "utf8")
  )
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  ajv.validate(schema, document)
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}
