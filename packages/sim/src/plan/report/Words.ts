import type { Meter } from "@atrium/domain/meters/Caps"
import { GiB, KiB, MiB } from "@atrium/wire/limits/Limit"
import { DateTime } from "effect"

import type { Column } from "../engine/Minutes.ts"
import type { Moments, Spread } from "./PlanReport.ts"

/** How figures are written for people: every place of a report writes them so. */

/** `1,234,567`; small ones with up to three digits: `0.0123`. */
export const numberText = (value: number): string => {
  const short = Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value)
  const [whole = "0", part] = String(short).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return part === undefined ? grouped : `${grouped}.${part}`
}

const byteUnits: ReadonlyArray<readonly [name: string, bytes: number]> = [
  ["TB", KiB * GiB],
  ["GB", GiB],
  ["MB", MiB],
  ["KB", KiB]
]

/** `8.01 TB`: all units are binary, as in the scenario. */
export const bytesText = (bytes: number): string => {
  const [name, factor] = byteUnits.find(([, each]) => bytes >= each) ?? ["B", 1]
  return `${numberText(bytes / factor)} ${name}`
}

export const percentText = (share: number): string => `${numberText(share * 100)}%`

/** `+8%`, `−3%`. */
export const changeText = (share: number): string => {
  const percent = Math.round(share * 1000) / 10
  return `${percent < 0 ? "−" : "+"}${numberText(Math.abs(percent))}%`
}

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

/** `Sat 5 Dec 18:04`, in UTC. */
export const momentText = (iso: string): string => {
  const { weekDay, day, month, hour, minute } = DateTime.toPartsUtc(DateTime.makeUnsafe(iso))
  const time = [hour, minute].map((each) => String(each).padStart(2, "0")).join(":")
  return `${days[weekDay] ?? ""} ${day} ${months[month - 1] ?? ""} ${time}`
}

/** The median of the runs in which it comes, and in how many it does if not in all. */
export const momentsText = (moments: Moments): string => {
  if (moments === null) return "—"
  const some = moments.inRuns < 1 ? ` (${percentText(moments.inRuns)} of the runs)` : ""
  return momentText(moments.median) + some
}

/** `24`, or `23 to 25` when runs differ. */
export const spreadText = (
  { p5, p50, p95 }: Spread,
  text: (value: number) => string = numberText
): string => (p5 === p95 ? text(p50) : `${text(p50)} (${text(p5)} to ${text(p95)})`)

export const meterNames: Readonly<Record<Meter, string>> = {
  roomHours: "room hours",
  voiceMinutes: "voice minutes",
  storageBytes: "stored bytes",
  dataOutBytes: "data out"
}

/** A value of a meter with its unit. */
export const meterText = (meter: Meter, value: number): string => {
  switch (meter) {
    case "roomHours":
      return `${numberText(value)} h`
    case "voiceMinutes":
      return `${numberText(value)} min`
    case "storageBytes":
    case "dataOutBytes":
      return bytesText(value)
  }
}

export const columnNames: Readonly<Record<Column, string>> = {
  roomsAwake: "rooms awake",
  sockets: "players connected",
  joinsPerSecond: "joins a second",
  startingJoinsPerSecond: "of them into rooms that start",
  wakesPerSecond: "rooms started a second",
  cpuCores: "CPU, cores",
  serviceCores: "of it service threads, cores",
  memoryBytes: "memory",
  writesPerSecond: "database writes a second",
  egressBytesPerSecond: "data out a second"
}

export const columnText = (column: Column, value: number): string =>
  column === "memoryBytes" || column === "egressBytesPerSecond"
    ? bytesText(value)
    : numberText(value)

export const resourceNames = {
  cpu: "CPU",
  serviceThread: "service threads",
  memory: "memory",
  database: "the database"
} as const

/** Why a machine is full, in words. */
export const bindsTexts = {
  cpu: "CPU is used up first.",
  serviceThread:
    "The service's thread is used up first: each machine has one, and every message passes it.",
  memory: "Memory is used up first.",
  database: "The database cannot write that much: more machines do not help."
} as const
