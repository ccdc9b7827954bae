import { Schema } from "effect"

import { ProjectLimits } from "./ProjectLimits.ts"

/** The entry that stands for every origin. */
export const anyOrigin = "*"

/** Scheme, host and maybe a port, as a browser writes them. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/
const localhost = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9_-]+\.)*localhost(?::[0-9]{1,5})?$/

const { max: charsMax } = ProjectLimits.originChars
const { max: entriesMax } = ProjectLimits.origins
const message = "must be an array of distinct, non-empty strings"

/** Whether a text is an origin to the letter: one in another spelling would match no browser's. */
const isBareOrigin = (text: string): boolean => {
  if (!originForm.test(text) || !URL.canParse(text)) return false
  const { protocol, host } = new URL(text)
  return `${protocol}//${host}` === text
}

const faultOfEntry = (entry: string): string | null => {
  if (entry.length > charsMax) return `an entry has at most ${charsMax} characters`
  if (entry === anyOrigin || isBareOrigin(entry)) return null
  return `no bare origin such as https://game.example: ${entry}`
}

const faultOf = (origins: ReadonlyArray<string>): string | null => {
  if (origins.length > entriesMax) return `at most ${entriesMax} entries`
  if (origins.includes("") || new Set(origins).size !== origins.length) return message
  return origins.map(faultOfEntry).find((fault) => fault !== null) ?? null
}

/**
 * The pages that may ask a project's open endpoints and join its rooms: exact origins, or `*` for all.
 * Spec: Project file, origins; C-320.
 */
export const Origins = Schema.Array(Schema.String.annotate({ message }))
  .annotate({ message })
  .check(
    Schema.makeFilter((origins) => faultOf(origins) ?? true, {
      toJsonSchema: () => ({ uniqueItems: true, maxItems: entriesMax })
    })
  )
export type Origins = typeof Origins.Type

/** Whether a page of that origin may ask; localhost always may, on any port. Source: D-56. */
export const allowsOrigin = (origins: Origins, origin: string): boolean =>
  origins.includes(anyOrigin) || origins.includes(origin) || localhost.test(origin)
