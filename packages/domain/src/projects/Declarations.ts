import { Schema } from "effect"

/** How many entries a map of declarations may have, and how long their names may be. */
interface MapBounds {
  readonly entries: number
  readonly nameChars: number
  /** What the entries are, such as `queues`. */
  readonly noun: string
}

/**
 * A map from names to declarations, as the project file has it. Whatever is refused is named: the
 * entry by its path, the map when it is too large. Spec: Project file.
 */
export const declarations = <Declaration extends Schema.Constraint>(
  declaration: Declaration,
  { entries, nameChars, noun }: MapBounds
) => {
  const pattern = `^[a-z0-9._-]{1,${nameChars}}$`
  const name = new RegExp(pattern)
  return Schema.Record(Schema.String, declaration)
    .annotate({ message: `must be an object of ${noun} by name` })
    .check(
      Schema.makeFilter(
        (map) => {
          const names = Object.keys(map)
          const bad = names.find((each) => !name.test(each))
          if (bad !== undefined) {
            return { path: [bad], issue: `a name has 1 to ${nameChars} of a-z 0-9 . _ -` }
          }
          return names.length <= entries || `at most ${entries} ${noun}`
        },
        { toJsonSchema: () => ({ maxProperties: entries, propertyNames: { pattern } }) }
      )
    )
}

/** `true` or `false`, refused by a sentence. */
export const Flag = Schema.Boolean.annotate({ message: "must be true or false" })
