import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import { BundleFileName } from "../RoomCommand.ts"

/** A place in a bundle: its name, a line and a column. */
const Place = /room\.bundle\.js:(\d{1,9}):(\d{1,9})/g
const EvalFrame = /\[eval\d*\]/
/** Packages that come with every bundle: their frames say nothing to a game developer. */
const OwnPackages = ["@atrium/sdk", "@atrium/runtime", "@atrium/wire"]

/** A line and a column of a bundle, as a stack has them: counted from 1. */
export interface BundlePlace {
  readonly line: number
  readonly column: number
}

/** The source of a place, such as `room.ts:7:19`; `null` = the map does not say. */
export type Origin = string | null

/** The name that a place has among {@link Origin}s. */
export const placeKey = ({ line, column }: BundlePlace): string => `${line}:${column}`

/** Tells whether a text may be a stack. */
export const mayBeStack = (text: string): boolean =>
  text.includes("\n    at ") || text.includes(BundleFileName)

/** The places that a text names, each once, the first ones of too many. */
export const placesIn = (text: string): ReadonlyArray<BundlePlace> => {
  const places = new Map<string, BundlePlace>()
  for (const [, line, column] of text.matchAll(Place)) {
    const place = { line: Number(line), column: Number(column) }
    places.set(placeKey(place), place)
    if (places.size === LogLimits.stackPlaces.max) break
  }
  return [...places.values()]
}

/**
 * Puts source files and lines into a stack and leaves out the frames that are not the developer's. A
 * place without an origin stays as it is. The result is a log line, cut at its limit.
 */
export const withOrigins = (text: string, origins: ReadonlyMap<string, Origin>): string =>
  cutLogLine(
    text
      .replace(Place, (found: string, line: string, column: string) => {
        return origins.get(placeKey({ line: Number(line), column: Number(column) })) ?? found
      })
      .split("\n")
      .filter((line) => !isForeignFrame(line))
      .join("\n")
  )

/** The first place that the frames of a stack name, such as `room.ts:7:19`. */
export const firstPlace = (stack: string): string | null => {
  for (const line of stack.split("\n")) {
    if (!line.startsWith("    at ")) continue
    const place = line.slice(placeStart(line), line.endsWith(")") ? -1 : undefined)
    if (PlaceEnd.test(place)) return place
  }
  return null
}

const PlaceEnd = /[^:]:\d{1,9}:\d{1,9}$/

const placeStart = (line: string): number =>
  Math.max(line.lastIndexOf(" "), line.lastIndexOf("(")) + 1

const isForeignFrame = (line: string): boolean => {
  if (!line.trimStart().startsWith("at ")) return false
  return (
    line.includes("node:") ||
    line.includes("data:text") ||
    EvalFrame.test(line) ||
    isOwnPackage(line)
  )
}

/** The name of a package may end in its version. */
const isOwnPackage = (line: string): boolean =>
  OwnPackages.some((name) => line.includes(`${name}/`) || line.includes(`${name}@`))
