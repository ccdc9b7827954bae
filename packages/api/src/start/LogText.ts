import { visibleText } from "@atrium/domain/shared/VisibleText"
import { Formatter, Logger } from "effect"

import type { LogFormat } from "./LogSettings.ts"

type Entry =
  typeof Logger.formatStructured extends Logger.Logger<unknown, infer Output> ? Output : never

/** Colours of levels, as codes of a terminal. */
const colours: Readonly<Record<string, string>> = {
  ERROR: "\u001b[31m",
  WARN: "\u001b[33m",
  INFO: "\u001b[32m",
  DEBUG: "\u001b[34m"
}
const Plain = "\u001b[0m"
/** Begins each further line of an entry. No entry begins with it, and no text can remove it. */
const Further = "\n  | "

/**
 * How entries are written. Tenants choose what is in them (lines of rooms, names, ids): every control
 * is written visibly, whatever the format. Source: C-173.
 */
export const logTexts: Readonly<Record<LogFormat, Logger.Logger<unknown, string>>> = {
  pretty: Logger.map(Logger.formatStructured, (entry) => prettyText(entry)),
  logfmt: Logger.map(Logger.formatLogFmt, visibleText),
  json: Logger.map(Logger.formatJson, visibleText)
}

const prettyText = ({ timestamp, level, message, cause, annotations }: Entry): string => {
  const texts = Array.isArray(message) ? message.map(textOf) : [textOf(message)]
  if (cause !== undefined) texts.push(cause)
  const about = Object.entries(annotations).map(([name, value]) => `${name}=${textOf(value)}`)
  if (about.length > 0) texts.push(about.join(" "))
  const time = timestamp.slice(timestamp.indexOf("T") + 1, -1)
  const body = texts.flatMap((text) => text.split("\n")).map(visibleText)
  return `[${time}] ${colours[level] ?? ""}${level}${Plain} ${body.join(Further)}`
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : Formatter.format(value)
