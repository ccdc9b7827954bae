import { problemAt } from "./FieldError.ts"
import { SchemaError } from "./SchemaError.ts"

export type JsonRecord = Readonly<Record<string, unknown>>

export const fail = (path: string, problem: string): never => {
  throw new SchemaError(problemAt(path, problem))
}

export const isRecord = (json: unknown): json is JsonRecord =>
  typeof json === "object" && json !== null && !Array.isArray(json)

export const textIn = (json: JsonRecord, key: string, path: string): string => {
  const value = json[key]
  return typeof value === "string" ? value : fail(`${path}.${key}`, "must be text")
}

export const arrayIn = (path: string, json: unknown, max: number): ReadonlyArray<unknown> => {
  if (!Array.isArray(json)) return fail(path, "must be an array")
  if (json.length > max) return fail(path, `${json.length} are over ${max}`)
  return json
}

/** Bytes of hexadecimal text. */
export const hexIn = (path: string, value: unknown): Uint8Array => {
  if (typeof value !== "string" || value.length % 2 !== 0 || !/^[0-9a-f]*$/.test(value)) {
    return fail(path, "must be hexadecimal text")
  }
  return Uint8Array.from({ length: value.length / 2 }, (_, place) =>
    Number.parseInt(value.slice(2 * place, 2 * place + 2), 16)
  )
}
