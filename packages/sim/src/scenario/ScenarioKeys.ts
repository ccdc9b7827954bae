import { Schema } from "effect"

import { Scenario } from "./Scenario.ts"

/** JSON Schema of a scenario file, draft 2020-12: for editors, and for all that is said of its keys. */
export const scenarioJsonSchema = (): object => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(Scenario, {
    onExcessProperty: "error"
  })
  const named = Object.keys(definitions).length === 0 ? {} : { $defs: definitions }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, ...named }
}

/** One key of the file. */
export interface ScenarioKey {
  /** `players.daily`; of an event `events.deploy.at`, of a list `load.stages.target`. */
  readonly path: string
  readonly required: boolean
  /** The default of the key; `undefined` = it has none. */
  readonly preset: unknown
  readonly description: string
}

/** The part of JSON Schema that a scenario uses. */
interface Shape {
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly prefixItems?: ReadonlyArray<Shape>
  readonly anyOf?: ReadonlyArray<Shape>
  readonly enum?: ReadonlyArray<unknown>
}

/** Sections are keys, too; they come before what is in them. */
const keysIn = (shape: Shape, path: ReadonlyArray<string>): ReadonlyArray<ScenarioKey> => {
  const own = Object.entries(shape.properties ?? {}).flatMap(([name, child]) => {
    // No description of its own: the path names the event, and minutes describe `lognormal`.
    if (child.description === undefined) return []
    const at = [...path, name]
    const key: ScenarioKey = {
      path: at.join("."),
      required: shape.required?.includes(name) ?? false,
      preset: child.default,
      description: child.description
    }
    return [key, ...keysIn(child, at)]
  })
  const variants = (shape.anyOf ?? []).flatMap((variant) => {
    const kind = variant.properties?.["kind"]?.enum?.[0]
    return keysIn(variant, kind === undefined ? path : [...path, String(kind)])
  })
  const items = [shape.items, ...(shape.prefixItems ?? [])].slice(0, 1)
  return [...own, ...variants, ...items.flatMap((item) => (item ? keysIn(item, path) : []))]
}

/** All keys, in the order of the schema. */
export const scenarioKeys: ReadonlyArray<ScenarioKey> = keysIn(scenarioJsonSchema(), [])

/** The description of a key; places in lists, and kinds of events, do not matter. */
export const descriptionOf = (path: ReadonlyArray<PropertyKey>): string | null => {
  const names = path.filter((part) => typeof part === "string")
  const isIt = ({ path: written }: ScenarioKey): boolean => {
    const parts = written.split(".")
    return (
      names.join(".") === written ||
      (parts.length === names.length + 1 && parts.toSpliced(1, 1).join(".") === names.join("."))
    )
  }
  return scenarioKeys.find(isIt)?.description ?? null
}
