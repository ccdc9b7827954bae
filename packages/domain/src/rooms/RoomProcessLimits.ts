import { KiB, MiB, SecondMs, count, size, rate, span } from "@atrium/wire/limits/Limit"

/** The process of a room. */
export const RoomProcessLimits = {
  roomUnaskedBytes: size(
    "Frame from a room process that is no welcome or snapshot it was asked for",
    {
      max: 16 * MiB,
      per: "frame",
      past: "the process is ended"
    }
  ),
  roomHeldAllBytes: size(
    "Unfinished frames of all room processes; past it those with the most end",
    {
      max: 256 * MiB,
      per: "runner",
      past: "the process is ended"
    }
  ),
  roomStart: span("Time for a room process to load its code and state", {
    ms: 10 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  sendWindow: span("Longest time a frame to a room waits for others, under load only", {
    ms: 5,
    per: "runner",
    past: "it is written"
  }),
  preparedSpares: count("Deployments that have a process waiting with their code", {
    max: 4,
    per: "service and kind of room",
    past: "the one that started a room the longest ago has none"
  }),
  cachedSource: size(
    "Code of a bundle that V8 compiles once for the processes of one size and kind",
    {
      max: 8 * MiB,
      per: "bundle",
      past: "each process compiles it"
    }
  ),
  codeCache: size(
    "What V8 made of the code of a bundle, for processes of one size and kind of room",
    {
      max: 8 * MiB,
      per: "bundle, size and kind of room",
      past: "each process compiles it"
    }
  ),
  sharedRooms: count(
    "Rooms of one type and deployment that share a process, where the type asks for it",
    {
      max: 20,
      per: "process",
      past: "the next room starts another process"
    }
  ),
  sharedNear: count(
    "Share of the ceilings of all its rooms that a shared process may take, in percent",
    {
      max: 90,
      per: "process",
      past: "its rooms go on in processes of their own"
    }
  ),
  sharedAlone: span(
    "Time in which rooms whose shared process has failed start in processes of their own",
    {
      ms: 10 * 60 * SecondMs,
      per: "room",
      past: "the room's next start may share a process again"
    }
  ),
  sharedEmpty: span("Time for which a shared process without rooms waits for the next one", {
    ms: 60 * SecondMs,
    per: "process",
    past: "the process is ended"
  }),
  roomAnswer: span("Time for a room process to answer a ping", {
    ms: 3 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomBusyAnswer: span("The same while bytes of it come, or while it waits for a CPU", {
    ms: 15 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomDescribe: span("Time for a bundle to load and describe its room types", {
    ms: 5 * SecondMs,
    per: "bundle",
    past: "E_BUNDLE_INVALID"
  }),
  roomWeigh: span("Time for a room process over its memory ceiling to collect its garbage", {
    ms: SecondMs / 2,
    per: "room",
    past: "the process is ended"
  }),
  roomBusyWeigh: span("The same while it waits for a CPU", {
    ms: 2 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  launcherRestart: span("Time until a launcher that has ended is started again", {
    ms: SecondMs,
    per: "service",
    past: "rooms can be started again"
  }),
  roomDescriptors: count("Descriptors of a process of the launcher, Node's own included", {
    max: 128,
    per: "process",
    past: "the call throws"
  }),
  roomThreads: count("Threads of a process of the launcher, where it has a user of its own", {
    max: 64,
    per: "process",
    past: "the call throws"
  }),
  roomMemorySlack: size(
    "Memory above twice a room's ceiling, for garbage that is not collected yet",
    {
      max: 32 * MiB,
      per: "room",
      past: "the process is ended"
    }
  ),
  physicsCodeBytes: size("Compiled code of a room with physics that its ceiling does not count", {
    max: 128 * MiB,
    per: "room",
    past: "the rest counts as memory of the room"
  }),
  physicsStartRest: span("Time in which a starting room with physics is not weighed", {
    ms: 3 * SecondMs,
    per: "room",
    past: "the room is weighed"
  }),
  devHeap: size("Heap of a room of the project dev, whatever its class", {
    max: 256 * MiB,
    per: "room",
    past: "the process is ended"
  }),
  smapsBytes: size("Text of the mappings of a room with physics", {
    max: 4 * MiB,
    per: "room",
    past: "all that is resident counts, but for the compiled code that a ceiling does not count"
  }),
  roomSelfWeigh: span("Time between two weighings where the system does not tell a room's memory", {
    ms: 5 * SecondMs,
    per: "room",
    past: "the room is weighed"
  }),
  roomFrames: rate("Frames from a room process, whatever its clients do", {
    burst: 10_000,
    tokens: 10_000,
    everyMs: SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  // An answer to each frame of a client at its limit, two frames of its own in each of 60 ticks.
  roomClientFrames: rate("Further frames from a room process for each of its clients", {
    burst: 1000,
    tokens: 500,
    everyMs: SecondMs,
    per: "client",
    past: "the process is ended"
  }),
  // 64 clients who all send at their limit to everybody are 983,040.
  roomCopies: rate("Frames to clients from a room process, counted once for each client", {
    burst: 1_000_000,
    tokens: 1_000_000,
    everyMs: SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomBytes: rate("Bytes from a room process, but for the states that it was asked for", {
    burst: 128 * MiB,
    tokens: 64 * MiB,
    everyMs: SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomEarlyLines: count("Lines that code logs before its process has a room", {
    max: 64,
    per: "process",
    past: "dropped silently"
  }),
  roomLogLines: rate("Lines that a room process logs", {
    burst: 200,
    tokens: 200,
    everyMs: SecondMs,
    per: "room",
    past: "dropped silently"
  }),
  roomLogBytes: rate("Bytes of the lines that a room process logs", {
    burst: 256 * KiB,
    tokens: 64 * KiB,
    everyMs: SecondMs,
    per: "room",
    past: "dropped silently"
  }),
  roomLinesWaiting: count("Log lines of a room that wait for a stack before them to be mapped", {
    max: 100,
    per: "room",
    past: "the stacks among them stay as they are"
  }),
  roomUnreadBytes: size("Frames that a running room process has not read", {
    max: 32 * MiB,
    per: "room",
    past: "the process is ended"
  }),
  // With the largest payloads these are 6.3 MiB a second to decode.
  roomCalls: rate("In-room calls of a room, of all kinds", {
    burst: 200,
    tokens: 100,
    everyMs: SecondMs,
    per: "room",
    past: "E_CALL_RATE"
  }),
  roomCallAnswer: span("Time for the service to answer an in-room call", {
    ms: 10 * SecondMs,
    per: "call",
    past: "E_CALL_TIMEOUT"
  }),
  roomCallAnswerBytes: size("Answer to an in-room call", {
    max: 256 * KiB,
    per: "call",
    past: "E_CALL_FAILED"
  }),
  factsEvery: span("Time between two writes of a room's alarms, its lobby, or a player's fields", {
    ms: SecondMs / 2,
    per: "room and kind, player",
    past: "what is newest then is written"
  })
} as const
