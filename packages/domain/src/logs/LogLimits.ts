import { KiB, MiB, SecondMs, MinuteMs, count, size, rate, span } from "@atrium/wire/limits/Limit"

/** Logs, and the stacks in them. */
export const LogLimits = {
  // Stacks of room code, which a process of their own maps to sources.
  sourceMapBytes: size("Source map of a bundle, decoded", {
    max: 8 * MiB,
    per: "deployment",
    past: "stacks stay as they are"
  }),
  stackMapMemory: size("Memory of the process that maps stacks", {
    max: 256 * MiB,
    per: "runner",
    past: "the process is ended, the stack stays as it is"
  }),
  stackMap: span("Time to map a stack", {
    ms: 2 * SecondMs,
    per: "stack",
    past: "the process is ended, the stack stays as it is"
  }),
  stackMapperStart: span("Time until the process that maps stacks is up", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "the process is ended, the stack stays as it is"
  }),
  stackMapperIdle: span("Time that the process that maps stacks is kept without work", {
    ms: 10 * SecondMs,
    per: "runner",
    past: "the process is ended"
  }),
  stackMapPause: span("Time until a map that could not be read is tried again", {
    ms: MinuteMs,
    per: "deployment",
    past: "stacks are mapped again"
  }),
  stackWait: span("Time that a stack waits for its turn to be mapped", {
    ms: 10 * SecondMs,
    per: "stack",
    past: "the stack stays as it is"
  }),
  stacksWaiting: count("Stacks that wait to be mapped", {
    max: 64,
    per: "runner",
    past: "the stack stays as it is"
  }),
  stackPlaces: count("Places of a stack that are mapped", {
    max: 64,
    per: "stack",
    past: "the others stay as they are"
  }),
  stackOriginChars: count("Characters of a source's name in a stack", {
    max: 256,
    per: "place",
    past: "the place stays as it is"
  }),
  stackOriginsKept: count("Mapped places that are remembered", {
    max: 1000,
    per: "deployment",
    past: "all of them are forgotten, and mapped again when they are needed"
  }),
  logIngest: rate("Log ingest per project", {
    burst: 256 * KiB,
    tokens: 256 * KiB,
    everyMs: MinuteMs,
    per: "project",
    past: "dropped silently"
  }),
  logRepeats: rate("Lines of one kind in the service's own log", {
    burst: 100,
    tokens: 100,
    everyMs: MinuteMs,
    per: "kind",
    past: "left out and counted at the end of the minute"
  }),
  logKinds: count("Kinds of lines that the guard on repeated lines tells apart in a minute", {
    max: 1000,
    per: "runner",
    past: "all further ones are one kind"
  })
} as const
