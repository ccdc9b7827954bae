import {
  DayMs,
  KiB,
  MiB,
  SecondMs,
  MinuteMs,
  count,
  size,
  rate,
  span
} from "@atrium/wire/limits/Limit"

/** Logs, and the stacks in them. */
export const LogLimits = {
  logSearchBytes: size("Text that a search in logs looks for (C-801)", {
    max: 256,
    per: "request",
    past: "400 E_BAD_REQUEST"
  }),

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

  // Lines that developers read.
  logKept: span("Log lines of rooms", {
    ms: 7 * DayMs,
    per: "line",
    past: "no read shows it; its day is removed as a whole when all of the day is past it"
  }),
  logLines: count("Log lines that a request may ask for", {
    max: 1000,
    per: "request",
    past: "400"
  }),
  logLinesDefault: count("Log lines for a request that says no number", {
    max: 100,
    per: "request",
    past: "the newest are shown"
  }),
  logBuffer: count("Log lines of a room in memory", {
    max: 500,
    per: "room",
    past: "the oldest are forgotten"
  }),
  logBufferProject: size("Log lines of a project in memory", {
    max: 4 * MiB,
    per: "project and runner",
    past: "the room that was quiet longest loses its oldest"
  }),
  logBufferRunner: size("Log lines in memory", {
    max: 64 * MiB,
    per: "runner",
    past: "the project that was quiet longest loses its oldest"
  }),
  logLineCost: size("Memory of a log line beside its text", {
    max: 128,
    per: "line",
    past: "it is what every line counts"
  }),
  logWaiting: size("Log lines that wait to be stored", {
    max: 8 * MiB,
    per: "runner",
    past: "dropped and counted in `atrium_log_lines_dropped_total`"
  }),
  logBatch: count("Log lines that are stored together", {
    max: 500,
    per: "statement",
    past: "the next statement stores them"
  }),
  logBatchWait: span("Time until a log line is stored with those that came after it", {
    ms: 250,
    per: "batch",
    past: "they are stored"
  }),
  logStoreWait: span("Time until a store that is away is asked again to take log lines", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "it is asked again"
  }),
  logTails: count("Readers of log lines as they come", {
    max: 200,
    per: "runner",
    past: "E_RATE_LIMITED"
  }),
  logTailsProject: count("Readers of a project's log lines as they come", {
    max: 10,
    per: "project and runner",
    past: "E_RATE_LIMITED"
  }),
  logTailLines: count("Log lines that a reader has not read", {
    max: 1000,
    per: "reader",
    past: "dropped, and the reader is told how many"
  }),
  logTailBytes: size("Memory of log lines that a reader has not read", {
    max: MiB,
    per: "reader",
    past: "dropped, and the reader is told how many"
  }),
  logTailFor: span("Time that a reader is told of log lines by one answer", {
    ms: 5 * MinuteMs,
    per: "answer",
    past: "the answer ends; the reader asks again with the last id, and its credential is looked at"
  }),
  logTailPing: span("Time without a line until a reader is told that the service is there", {
    ms: 15 * SecondMs,
    per: "reader",
    past: "it is told"
  }),
  logTailLook: span("Time between two looks of a tail for further runners", {
    ms: SecondMs,
    per: "tail",
    past: "the lines of a runner that has started come up to this much later"
  }),
  logTailOverlap: span(
    "Time before its last line from which on a tail of several runners resumes",
    {
      ms: 2 * SecondMs,
      per: "tail",
      past: "a line that another runner told this late is left out"
    }
  ),
  logPartitionLock: span("Time that the removal of a day of log lines waits for those who read", {
    ms: 2 * SecondMs,
    per: "day",
    past: "the next sweep removes it"
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
