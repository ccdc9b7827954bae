/**
 * Every limit of the service: what it bounds, whose it is, and what happens past it.
 * No other file holds a number that is a row here. Sizes in bytes, spans in milliseconds.
 */

export const KiB = 1024
export const MiB = 1024 * KiB
const GiB = 1024 * MiB
const SecondMs = 1000
const MinuteMs = 60 * SecondMs
const HourMs = 60 * MinuteMs
const DayMs = 24 * HourMs

/** At most `max` things. */
export interface CountLimit {
  readonly kind: "count"
  readonly says: string
  readonly max: number
  readonly per: string
  readonly past: string
}

/** A whole number from `min` to `max` that somebody chooses. */
export interface RangeLimit {
  readonly kind: "range"
  readonly says: string
  readonly min: number
  readonly max: number
  readonly per: string
  readonly past: string
}

/** At most `max` bytes. */
export interface SizeLimit {
  readonly kind: "size"
  readonly says: string
  readonly max: number
  readonly per: string
  readonly past: string
}

/** A token bucket: `burst` tokens at most, refilled with `tokens` every `everyMs`. */
export interface RateLimit {
  readonly kind: "rate"
  readonly says: string
  readonly burst: number
  readonly tokens: number
  readonly everyMs: number
  readonly per: string
  readonly past: string
}

/** A span of time. */
export interface SpanLimit {
  readonly kind: "span"
  readonly says: string
  readonly ms: number
  readonly per: string
  readonly past: string
}

export type Limit = CountLimit | RangeLimit | SizeLimit | RateLimit | SpanLimit

const count = (says: string, row: Omit<CountLimit, "kind" | "says">): CountLimit => ({
  kind: "count",
  says,
  ...row
})
const range = (says: string, row: Omit<RangeLimit, "kind" | "says">): RangeLimit => ({
  kind: "range",
  says,
  ...row
})
const size = (says: string, row: Omit<SizeLimit, "kind" | "says">): SizeLimit => ({
  kind: "size",
  says,
  ...row
})
const rate = (says: string, row: Omit<RateLimit, "kind" | "says">): RateLimit => ({
  kind: "rate",
  says,
  ...row
})
const span = (says: string, row: Omit<SpanLimit, "kind" | "says">): SpanLimit => ({
  kind: "span",
  says,
  ...row
})

export const Limits = {
  // Schema limits (spec: Schema limits). Past them the definition throws at build time.
  schemaFields: count("Fields per entity or singleton", {
    max: 255,
    per: "entity or singleton",
    past: "definition throws"
  }),
  schemaMessages: count("Message shapes under messages", {
    max: 256,
    per: "schema",
    past: "definition throws"
  }),
  schemaRpcs: count("RPCs under rpc, both directions together", {
    max: 60_000,
    per: "schema",
    past: "definition throws"
  }),
  playerFieldsBytes: size("Persisted player fields", {
    max: 4 * KiB,
    per: "player",
    past: "definition throws"
  }),
  schemaCollections: count("Entities and singletons in one schema", {
    max: 255,
    per: "schema",
    past: "definition throws"
  }),
  schemaNameChars: count("Characters of a type, field, message or RPC name", {
    max: 64,
    per: "name",
    past: "definition throws"
  }),
  listElements: count("Elements of a list field", {
    max: 65_535,
    per: "field",
    past: "definition throws"
  }),
  stringBytes: size("Bytes of a string or bytes field", {
    max: 64 * KiB,
    per: "field",
    past: "definition throws"
  }),
  enumChoices: count("Choices of an enum field", {
    max: 256,
    per: "field",
    past: "definition throws"
  }),
  roomTypes: count("Room types in one deployment", {
    max: 64,
    per: "deployment",
    past: "E_BUNDLE_INVALID"
  }),
  descriptorBytes: size("Encoded schema descriptor of one deployment", {
    max: 4 * MiB,
    per: "deployment",
    past: "E_BUNDLE_INVALID"
  }),
  tickHz: count("Ticks per second", { max: 60, per: "room", past: "definition throws" }),
  maxClients: count("Clients that a room type may ask for", {
    max: 1024,
    per: "room",
    past: "definition throws"
  }),
  hibernateAfterMs: span("Longest idle span before hibernation that a type may ask for", {
    ms: DayMs,
    per: "room type",
    past: "definition throws"
  }),
  reconnectForMs: span("Longest time a dropped client's session may be kept", {
    ms: 10 * MinuteMs,
    per: "room type",
    past: "definition throws"
  }),

  // Rooms (spec: Room budget per server; Connection and room limits).
  maxClientsDefault: count("maxClients default", { max: 64, per: "room", past: "E_ROOM_FULL" }),
  serverBudget: count("Slots of a server, in 120ths (D-46)", {
    max: 120,
    per: "server",
    past: "E_TENANT_WAKING"
  }),
  roomsAwakeFree: count("Rooms awake at once, free plan", {
    max: 10,
    per: "server",
    past: "E_TENANT_WAKING"
  }),
  serversPerProject: count("Servers that one project may fill", {
    max: 1000,
    per: "project",
    past: "E_TENANT_WAKING"
  }),
  restarts: count("Room worker restarts per minute before close", {
    max: 3,
    per: "room",
    past: "E_ROOM_CRASHED"
  }),
  restartsWindow: span("Window in which restarts are counted", {
    ms: MinuteMs,
    per: "room",
    past: "older restarts are forgotten"
  }),
  hibernateAfter: span(
    "Empty time before a room hibernates, unless its type says otherwise (D-48)",
    {
      ms: 30 * SecondMs,
      per: "room",
      past: "the room hibernates"
    }
  ),
  reconnectFor: span("Time a dropped client's session is kept, unless its type says otherwise", {
    ms: 20 * SecondMs,
    per: "client",
    past: "onLeave"
  }),
  snapshotEvery: span("Longest time a change stays outside the stored snapshot (D-48)", {
    ms: 10 * SecondMs,
    per: "room",
    past: "a snapshot is taken"
  }),
  generationEvery: span("Time between save generations of a changing room (D-48)", {
    ms: 10 * MinuteMs,
    per: "room",
    past: "a generation is added"
  }),
  saveGenerations: count("Save generations per room per deployment version", {
    max: 10,
    per: "room and deployment version",
    past: "the oldest is removed"
  }),
  snapshotBytes: size("Encoded snapshot of one room", {
    max: 64 * MiB,
    per: "room",
    past: "the room restarts from its last snapshot"
  }),
  alarms: count("Alarms that a room may have set", {
    max: 64,
    per: "room",
    past: "the call throws"
  }),
  alarmsPerLook: count("Rooms that one look at the alarms wakes", {
    max: 100,
    per: "second",
    past: "they are woken a second later"
  }),
  alarmLook: span("Time between two looks at the alarms of sleeping rooms", {
    ms: SecondMs,
    per: "service",
    past: "an alarm is up to this much late"
  }),
  alarmRetry: span("Time until an alarm rings again that its room did not take", {
    ms: MinuteMs,
    per: "alarm",
    past: "it rings again"
  }),
  clockLook: span("Time between two looks at the service's clock for rooms", {
    ms: SecondMs,
    per: "service",
    past: "a room's clock is up to this much late to follow"
  }),
  clockJump: span("Jump of the service's clock that rooms are told of", {
    ms: 250,
    per: "look",
    past: "smaller ones are a matter of scheduling"
  }),
  reportEvery: span("Time between two reports of an awake room whose players did not change", {
    ms: 2 * SecondMs,
    per: "room",
    past: "its lastSeen is up to this much old"
  }),
  reportChanges: span("Time between two looks for rooms whose players have changed", {
    ms: 250,
    per: "runner",
    past: "clients in the list is up to this much old, and a write"
  }),
  wallLook: span("Time between two looks for awake rooms of projects at their data-out wall", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "such a room is awake up to this much longer"
  }),
  alarmNameBytes: size("Name of an alarm", { max: 64, per: "alarm", past: "the call throws" }),
  savesWaiting: count("Calls of room.save() that may wait at once", {
    max: 64,
    per: "room",
    past: "the call is refused"
  }),
  savesEvery: span("Time after a stored save in which further saves and durable RPCs gather", {
    ms: SecondMs / 10,
    per: "room",
    past: "they are stored together"
  }),
  rpcsWaiting: count("RPCs that may wait for their answer", {
    max: 256,
    per: "client and direction",
    past: "E_RPC_BUSY"
  }),

  // Memory of a server (spec: Room budget per server). It is calm again below a lower mark than the
  // one from which on it is near its limit, or it would take and refuse rooms in turn.
  memoryNear: count(
    "Percent of the memory for its rooms from which on a server is near its limit",
    {
      max: 90,
      per: "server",
      past: "empty rooms sleep early, new rooms get E_TENANT_WAKING"
    }
  ),
  memoryCalm: count("Percent of it at which a server is calm again", {
    max: 85,
    per: "server",
    past: "it goes on refusing new rooms"
  }),
  machineNear: size("Memory that the machine must have left, on a large one", {
    max: 256 * MiB,
    per: "runner",
    past: "with less, all its servers are near their limit"
  }),
  machineNearPercent: count("Percent of the machine's memory that it must have left, at most", {
    max: 5,
    per: "runner",
    past: "with less, all its servers are near their limit"
  }),
  machineCalm: count("Percent of what must be left that make its servers calm again", {
    max: 150,
    per: "runner",
    past: "they go on refusing new rooms"
  }),
  memoryLook: span("Time between two looks at the memory of rooms", {
    ms: SecondMs / 2,
    per: "runner",
    past: "a server notices up to this much later"
  }),
  // Three restarts within a minute close a room: with this, and what a report may take, two are the most.
  memoryRestartEvery: span("Time between two restarts of a server's largest room", {
    ms: 50 * SecondMs,
    per: "server",
    past: "the next one waits, so that memory can fall"
  }),
  memoryRestartBytes: size("Memory of the smallest room that is restarted to have some back", {
    max: 16 * MiB,
    per: "server",
    past: "a room with less stays: what another has taken does not come back by it"
  }),
  trafficProjects: count(
    "Projects whose traffic is remembered while none of their rooms is awake",
    {
      max: 10_000,
      per: "runner",
      past: "the one that was awake the longest ago is forgotten"
    }
  ),

  // The room process.
  roomFrameBytes: size("Frame between the service and a room process", {
    max: 80 * MiB,
    per: "frame",
    past: "the process is ended"
  }),
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
  writeWindow: span("Longest time a frame to a client waits for others, under load only", {
    ms: 1,
    per: "runner",
    past: "it is written"
  }),
  preparedSpares: count("Deployments that have a process waiting with their code", {
    max: 4,
    per: "service",
    past: "the one that started a room the longest ago has none"
  }),
  roomAnswer: span("Time for a room process to answer a ping", {
    ms: 3 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomBusyAnswer: span("The same while frames of it come, as its answer is behind them", {
    ms: 15 * SecondMs,
    per: "room",
    past: "the process is ended"
  }),
  roomJoin: span("Time for room code to accept or refuse a join", {
    ms: 10 * SecondMs,
    per: "join",
    past: "E_JOIN_REFUSED"
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
  roomRpc: span("Time for a client to answer an RPC of the room, unless the call says otherwise", {
    ms: 10 * SecondMs,
    per: "call",
    past: "E_RPC_TIMEOUT"
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
  devHeap: size("Heap of a room of the project dev, whatever its class", {
    max: 256 * MiB,
    per: "room",
    past: "the process is ended"
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
  factsEvery: span("Time between two writes of a room's alarms, its lobby, or a player's fields", {
    ms: SecondMs / 2,
    per: "room and kind, player",
    past: "what is newest then is written"
  }),
  roomTicksAtOnce: count("Ticks that run at once after a stall", {
    max: 5,
    per: "room",
    past: "the ticks are skipped"
  }),

  // Connections (spec: Connection and room limits).
  handshake: span("Time to send join handshake after connecting", {
    ms: 5 * SecondMs,
    per: "connection",
    past: "E_HANDSHAKE_TIMEOUT"
  }),
  frameBytes: size("Frame from a client (D-24)", {
    max: MiB,
    per: "frame",
    past: "E_FRAME_TOO_LARGE"
  }),
  helloBytes: size("Hello frame from a client", {
    max: 64 * KiB,
    per: "connection",
    past: "E_BAD_FRAME"
  }),
  framesKept: count("Frames of clients kept while a room's process restarts", {
    max: 1024,
    per: "room",
    past: "dropped"
  }),
  framesKeptBytes: size("Bytes of frames of clients kept while a room's process restarts", {
    max: 16 * MiB,
    per: "room",
    past: "dropped"
  }),
  frames: rate("Frames per second per connection", {
    burst: 480,
    tokens: 240,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  framesDropped: count("Frames over the rate that are dropped one after another", {
    max: 240,
    per: "connection",
    past: "the connection is not read for a while"
  }),
  floodPause: span("Time for which a connection is not read whose frames are dropped", {
    ms: SecondMs,
    per: "connection",
    past: "it is read again"
  }),
  messagePieces: count("WebSocket frames of one message", {
    max: 1024,
    per: "message",
    past: "WebSocket's own 1008"
  }),
  messageChunks: count("Reads from the network that bring one WebSocket frame", {
    max: 8192,
    per: "frame",
    past: "WebSocket's own 1008"
  }),
  chunkBytes: size("Memory of a read from the network beside its bytes, as it is counted", {
    max: KiB,
    per: "read",
    past: "not counted"
  }),
  clientsHeldAllBytes: size(
    "Messages of all clients that have not come whole; past it those with the most are closed",
    {
      max: 128 * MiB,
      per: "runner",
      past: "E_UNFINISHED"
    }
  ),
  pongsWaiting: count("WebSocket pings whose pongs have not left yet", {
    max: 60,
    per: "connection",
    past: "the connection is cut off"
  }),
  chatBytes: size("Chat line", { max: 512, per: "line", past: "E_CHAT_TOO_LONG" }),
  chatLines: rate("Chat lines per second per connection", {
    burst: 5,
    tokens: 1,
    everyMs: SecondMs,
    per: "connection",
    past: "E_CHAT_RATE"
  }),
  joinsByAddress: rate("Joins per client address per minute", {
    burst: 600,
    tokens: 600,
    everyMs: MinuteMs,
    per: "client address and server",
    past: "E_RATE_LIMITED"
  }),
  joins: rate("Joins of the whole project per minute", {
    burst: 6000,
    tokens: 6000,
    everyMs: MinuteMs,
    per: "server",
    past: "E_RATE_LIMITED"
  }),
  newRooms: rate("New rooms per client address per minute", {
    burst: 60,
    tokens: 60,
    everyMs: MinuteMs,
    per: "client address and server",
    past: "E_RATE_LIMITED"
  }),
  connectionsToUnknown: rate("New connections to servers that this runner never started", {
    burst: 1200,
    tokens: 1200,
    everyMs: MinuteMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  unwelcomed: count("Connections that are not in their rooms yet, or were just refused", {
    max: 2000,
    per: "client address and runner",
    past: "HTTP 429"
  }),
  httpConnections: count("HTTP connections that have not become WebSockets", {
    max: 2000,
    per: "peer and runner",
    past: "the connection is cut off"
  }),
  serversKnown: count("Servers whose settings are remembered while they hold no room", {
    max: 10_000,
    per: "runner",
    past: "the one that started the longest ago has the defaults"
  }),
  outboundPlayerBytes: size("Outbound buffer per socket, player", {
    max: 4 * MiB,
    per: "socket",
    past: "E_SLOW_CONSUMER"
  }),
  outboundViewerBytes: size("Outbound buffer per socket, viewer", {
    max: 256 * KiB,
    per: "socket",
    past: "E_SLOW_CONSUMER"
  }),
  outboundAllBytes: size("All outbound buffers; past it those with the most are closed", {
    max: 512 * MiB,
    per: "runner",
    past: "E_SLOW_CONSUMER"
  }),
  pingEvery: span("Time between the service's pings (D-24)", {
    ms: 20 * SecondMs,
    per: "connection",
    past: "a connection that did not answer the last one is ended"
  }),
  roomIdChars: count("Characters of a room id (D-05)", {
    max: 128,
    per: "room id",
    past: "E_ROOM_NOT_FOUND"
  }),
  playerIdBytes: size("Player id", { max: 256, per: "player", past: "E_UNAUTHENTICATED" }),
  players: count("Players with persisted fields", {
    max: 10_000,
    per: "project",
    past: "E_PLAYERS_FULL"
  }),
  playerKept: span("Time a player's persisted fields are kept from their last write", {
    ms: 90 * DayMs,
    per: "player",
    past: "the player starts at the defaults"
  }),
  joinTokenLife: span("Longest life of a join credential (D-25)", {
    ms: DayMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  clockLeeway: span("Difference of clocks that a join credential may show (D-25)", {
    ms: MinuteMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  devLease: span("Time that `atrium dev` has a project without renewing its lease (C-227)", {
    ms: 6000,
    per: "project",
    past: "another folder may take it"
  }),
  devFolderChars: count("Characters of the folder that has a project under `atrium dev`", {
    max: 1024,
    per: "lease",
    past: "E_BAD_REQUEST"
  }),
  devHolderChars: count("Characters of the id of one run of `atrium dev`", {
    max: 64,
    per: "lease",
    past: "E_BAD_REQUEST"
  }),
  jwtSecretOverlap: span("Time a rotated JWT secret stays valid (D-25)", {
    ms: DayMs,
    per: "secret",
    past: "E_UNAUTHENTICATED"
  }),

  // HTTP and projects.
  bodyBytes: size("Request body (D-02)", { max: MiB, per: "request", past: "E_BODY_TOO_LARGE" }),
  bodyCommas: count("Commas in a JSON body, which bound its values", {
    max: 10_000,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  requestHeadBytes: size("Head of a request: its target, names and values of its headers", {
    max: 16 * KiB,
    per: "request",
    past: "431 E_BAD_REQUEST"
  }),
  requestHead: span("Time to send the head of a request", {
    ms: 10 * SecondMs,
    per: "connection",
    past: "408 E_BAD_REQUEST"
  }),
  request: span("Time to send a request, its body included", {
    ms: 5 * MinuteMs,
    per: "request",
    past: "408 E_BAD_REQUEST"
  }),
  requestLook: span("Time between two looks for requests that do not come", {
    ms: SecondMs,
    per: "service",
    past: "they are refused up to this much later"
  }),
  requestsWaiting: count("Requests of a connection that wait for their answers", {
    max: 100,
    per: "connection",
    past: "E_BAD_REQUEST"
  }),
  lastAnswer: span("Time to read the answer after which a connection ends", {
    ms: SecondMs,
    per: "connection",
    past: "the connection is cut off"
  }),
  bundleBytes: size("Uploaded room bundle", {
    max: 32 * MiB,
    per: "deployment",
    past: "E_BUNDLE_TOO_LARGE"
  }),
  deploysAtOnce: count("Deployments that are uploaded or described at once; one of each project", {
    max: 2,
    per: "service",
    past: "the next one waits"
  }),
  deploysWaiting: count("Deployments that wait until others are done", {
    max: 32,
    per: "service",
    past: "E_NOT_READY"
  }),
  projectDeploysWaiting: count("Deployments of a project that wait until others are done", {
    max: 4,
    per: "project",
    past: "E_NOT_READY"
  }),
  deployWait: span("Time that a deployment waits until others are done", {
    ms: 30 * SecondMs,
    per: "deployment",
    past: "E_NOT_READY"
  }),
  deployUpload: span("Time to send a bundle, from the moment on that it is read", {
    ms: MinuteMs,
    per: "deployment",
    past: "408 E_BAD_REQUEST"
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

  messageBytes: size("Message of the service's own errors", {
    max: 96,
    per: "error",
    past: "cut, ending in …"
  }),
  logLineUnits: count("Log line, UTF-16 units", {
    max: 8192,
    per: "line",
    past: "the rest is cut"
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
  }),
  projectNameChars: count("Characters of a project name", {
    max: 100,
    per: "project",
    past: "E_BAD_REQUEST"
  }),

  // Logins of developers (D-23).
  cliTokenLife: span("Life of a CLI token, from its last use (D-23)", {
    ms: 90 * DayMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  sessionLife: span("Life of a browser's session, from its login (D-23)", {
    ms: 30 * DayMs,
    per: "session",
    past: "E_UNAUTHENTICATED"
  }),
  loginUseWrites: span("Time between two writes of when a login was last used", {
    ms: MinuteMs,
    per: "login",
    past: "the use is written"
  }),
  deviceLoginLife: span("Time to allow a device's login (D-23)", {
    ms: 10 * MinuteMs,
    per: "device login",
    past: "E_LOGIN_CODE"
  }),
  devicePoll: span("Time between two questions of a device that waits (D-23)", {
    ms: 5 * SecondMs,
    per: "device login",
    past: "E_RATE_LIMITED"
  }),
  deviceLogins: count("Device logins that are not over yet", {
    max: 10_000,
    per: "service",
    past: "E_RATE_LIMITED"
  }),
  deviceStarts: rate("Device logins that an address starts", {
    burst: 60,
    tokens: 60,
    everyMs: MinuteMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  userCodeTries: rate("User codes that an account reads, allows or denies", {
    burst: 20,
    tokens: 10,
    everyMs: MinuteMs,
    per: "account and runner",
    past: "E_RATE_LIMITED"
  }),
  rateSubjects: count("Subjects of a rate limit that are remembered, and as many that it refused", {
    max: 10_000,
    per: "limit and runner",
    past: "those that asked longest ago are forgotten"
  }),
  loginLabelChars: count("Characters of the label of a login", {
    max: 100,
    per: "login",
    past: "E_BAD_REQUEST"
  }),
  accountNameChars: count("Characters of the name of an account, or of who is invited", {
    max: 100,
    per: "account, invitation",
    past: "E_BAD_REQUEST"
  }),
  invitationLife: span("Time to accept an invitation", {
    ms: 7 * DayMs,
    per: "invitation",
    past: "E_INVITATION"
  }),
  invitations: count("Invitations that are not over yet", {
    max: 100,
    per: "account",
    past: "E_INVITATIONS_FULL"
  }),
  logins: count("CLI tokens and sessions", {
    max: 100,
    per: "account",
    past: "the one that was used longest ago ends"
  }),

  // Relay rooms and their audiences (spec: Connection and room limits).
  relayPlayers: count("Players in one relay room", {
    max: 64,
    per: "relay room",
    past: "E_ROOM_FULL"
  }),
  relayPlayersFree: count("Players in one relay room, free plan", {
    max: 16,
    per: "relay room",
    past: "E_ROOM_FULL"
  }),
  relayFrameBytes: size("Relay message with its envelope", {
    max: 64 * KiB,
    per: "frame",
    past: "E_WRITE_REJECTED"
  }),
  relayBytes: rate("Relay message bytes per second per connection", {
    burst: MiB,
    tokens: 256 * KiB,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  relayStateBytes: size("Encoded state in one relay room", {
    max: 512 * KiB,
    per: "relay room",
    past: "E_STATE_CAP"
  }),
  relayRecords: count("Records in one relay collection", {
    max: 1024,
    per: "collection",
    past: "E_RECORD_CAP"
  }),
  relayWriteOps: rate("Write operations per client per second in a relay room", {
    burst: 35,
    tokens: 35,
    everyMs: SecondMs,
    per: "connection",
    past: "E_WRITE_RATE"
  }),
  relayOwnershipAnswer: span("Time for an owner to answer who asks for its record", {
    ms: 5 * SecondMs,
    per: "request",
    past: "the request is refused"
  }),
  relayAsks: count("Records that a client of a relay room waits for", {
    max: 64,
    per: "session",
    past: "E_RATE_LIMITED"
  }),
  audienceSeats: count("Viewers in one relay room audience", {
    max: 256,
    per: "relay room",
    past: "E_AUDIENCE_FULL"
  }),
  audienceSeatsFree: count("Viewers in one relay room audience, free plan", {
    max: 64,
    per: "relay room",
    past: "E_AUDIENCE_FULL"
  }),
  audienceMessages: rate("Messages per second per audience peer", {
    burst: 10,
    tokens: 2,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  audienceTokenLife: span("Audience credential lifetime", {
    ms: 3 * HourMs,
    per: "credential",
    past: "E_UNAUTHENTICATED"
  }),
  audienceRoleChars: count("Characters of the role of an audience", {
    max: 32,
    per: "project",
    past: "E_BAD_REQUEST"
  }),

  // Open endpoints (spec: Open endpoint rate limits): a pair of rows for each row of the table.
  identityMintsByAddress: rate("Identities minted from an address", {
    burst: 30,
    tokens: 60,
    everyMs: HourMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  identityMints: rate("Identities minted for a project", {
    burst: 600,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project and runner",
    past: "E_RATE_LIMITED"
  }),
  boardReadsByAddress: rate("Reads of leaderboards, or of the public registry, from an address", {
    burst: 30,
    tokens: 120,
    everyMs: MinuteMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  boardReads: rate("Reads of a project's leaderboards, or of its public registry", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "project and runner",
    past: "E_RATE_LIMITED"
  }),
  audienceMintsByAddress: rate("Audience credentials minted from an address", {
    burst: 30,
    tokens: 60,
    everyMs: HourMs,
    per: "client address and runner",
    past: "E_RATE_LIMITED"
  }),
  audienceMints: rate("Audience credentials minted for a room (T-22)", {
    burst: 512,
    tokens: 600,
    everyMs: HourMs,
    per: "room and runner",
    past: "E_RATE_LIMITED"
  }),

  // Settings of projects (spec: Project settings; Project limits; Quick-match limits; Leaderboard limits).
  connectionsPerIpPerMin: range("connectionsPerIpPerMin", {
    min: 1,
    max: 100_000,
    per: "project",
    past: "E_BAD_REQUEST"
  }),
  connectionsPerIpPerMinDefault: count("New connections per client address per minute", {
    max: 120,
    per: "address and server",
    past: "E_RATE_LIMITED"
  }),
  vmMemMib: range("vmMemMib", { min: 128, max: 4096, per: "project", past: "E_BAD_REQUEST" }),
  queues: count("Queues per project", { max: 32, per: "project", past: "E_BAD_REQUEST" }),
  queueNameChars: count("Characters of a queue's name", {
    max: 32,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  queueSize: range("Players in a match of a queue", {
    min: 2,
    max: 64,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  queueTeams: range("Teams in a match of a queue (D-33)", {
    min: 2,
    max: 16,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  teamSize: range("Players in a team (D-33)", {
    min: 1,
    max: 32,
    per: "team",
    past: "E_BAD_REQUEST"
  }),
  boards: count("Boards per project", { max: 256, per: "project", past: "E_BAD_REQUEST" }),
  boardNameChars: count("Characters of a board's name", {
    max: 64,
    per: "board",
    past: "E_BAD_REQUEST"
  }),
  seasonNameChars: count("Characters of a season's name (D-34)", {
    max: 64,
    per: "board",
    past: "E_BAD_REQUEST"
  }),
  boardKeep: range("Past periods of a board that are kept (D-34)", {
    min: 1,
    max: 120,
    per: "board",
    past: "E_BAD_REQUEST"
  }),

  purgeLook: span("Time between two looks for projects that were deleted", {
    ms: SecondMs,
    per: "service",
    past: "their rooms close up to this much later"
  }),
  purgesPerLook: count("Deleted projects that one look purges", {
    max: 10,
    per: "look",
    past: "the others come after them"
  }),
  purgeRows: count("Rows of a table that are removed together", {
    max: 1000,
    per: "statement",
    past: "the next statement removes them"
  }),
  purgeObjects: count("Stored objects that are removed together", {
    max: 50,
    per: "statement",
    past: "the next statement removes them"
  }),
  purgeParts: count("Parts of a deleted project that one look removes", {
    max: 50,
    per: "project",
    past: "the next look goes on"
  }),
  purgeSettles: span("Time until nothing of a deleted project can be written any more", {
    ms: 2 * MinuteMs,
    per: "project",
    past: "what is purged by then stays empty"
  }),

  // Allowances of billed meters in a calendar month (D-39).
  allowanceRoomHours: count("Room hours of a month", {
    max: 100,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceVoiceMinutes: count("Voice participant-minutes of a month", {
    max: 1000,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceStorageBytes: size("Stored bytes", {
    max: GiB,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceDataOutBytes: size("Data out of a month", {
    max: 10 * GiB,
    per: "project",
    past: "E_CAP_REACHED"
  }),

  keyLabelChars: count("Characters of the label of an API key (D-17)", {
    max: 100,
    per: "key",
    past: "E_BAD_REQUEST"
  }),
  keyUseWrites: span("Time between two writes of when an API key was last used (D-18)", {
    ms: MinuteMs,
    per: "key",
    past: "the use is written"
  }),
  evict: span("Answer of a server that is told to close a room's clients (D-20)", {
    ms: 5 * SecondMs,
    per: "forced delete",
    past: "E_EVICT_FAILED"
  }),
  sweepEvery: span("Time between two sweeps of rooms past their retention", {
    ms: 15 * MinuteMs,
    per: "service",
    past: "such rooms are deleted, and old rows pruned"
  }),
  auditKept: span("Rows of the audit log", {
    ms: 90 * DayMs,
    per: "row",
    past: "the next sweep removes it"
  }),
  auditRows: count("Rows of the audit log that a request may ask for", {
    max: 1000,
    per: "request",
    past: "400"
  }),
  auditRowsDefault: count("Rows of the audit log for a request that says no number", {
    max: 100,
    per: "request",
    past: "the newest are shown"
  }),
  auditSweepBatch: count("Rows of the audit log that are removed at once", {
    max: 1000,
    per: "sweep",
    past: "the others come after them"
  }),
  sweepBatch: count("Rooms that a sweep looks at together", {
    max: 200,
    per: "sweep",
    past: "the others come after them"
  }),
  rowKept: span("Rows in the room list", {
    ms: 30 * DayMs,
    per: "room, from its last report",
    past: "pruned, its state unaffected"
  }),
  reportFresh: span("Age of a report by which a room counts as awake in a live server", {
    ms: 10 * SecondMs,
    per: "room",
    past: "the room counts as not awake"
  }),
  restoreLook: span("Time between two looks for restores that are queued", {
    ms: 2 * SecondMs,
    per: "service",
    past: "a restore that lost its runner goes on up to this much later"
  }),
  lobbyRows: count("Rooms that the public registry shows (D-21)", {
    max: 1000,
    per: "project",
    past: "those with the lowest ids are shown"
  }),
  listPage: count("Rows of a room list that are written in one turn", {
    max: 500,
    per: "list",
    past: "others have a turn before the next"
  }),

  // The client library.
  clientQueue: count("Frames kept while the connection is away", {
    max: 256,
    per: "joined room",
    past: "send throws E_QUEUE_FULL"
  }),
  clientQueueBytes: size("Bytes of frames kept while the connection is away", {
    max: MiB,
    per: "joined room",
    past: "send throws E_QUEUE_FULL"
  }),
  clientRequest: span("Time for the answer to a request, unless the call says otherwise", {
    ms: 15 * SecondMs,
    per: "request",
    past: "E_RPC_TIMEOUT"
  }),
  clientJoin: span("Time from the start of a connection to its welcome", {
    ms: 30 * SecondMs,
    per: "connection",
    past: "E_JOIN_TIMEOUT"
  }),
  clientBackoffBase: span("Bound of the first wait before a reconnection, doubled by each", {
    ms: 100,
    per: "joined room",
    past: "the client connects"
  }),
  clientBackoffCap: span("Longest wait before a reconnection", {
    ms: 5 * SecondMs,
    per: "joined room",
    past: "the client connects"
  }),
  clientReconnect: span("Time after a drop in which the client goes on trying", {
    ms: MinuteMs,
    per: "joined room",
    past: "onLeave"
  }),
  clientWaking: span("Time for which a first join waits for a server that takes no rooms now", {
    ms: 10 * SecondMs,
    per: "join",
    past: "E_TENANT_WAKING"
  }),
  clientSilence: span("Silence after which the client pings, and after as much again reconnects", {
    ms: 15 * SecondMs,
    per: "joined room",
    past: "the client reconnects"
  }),
  clientClose: span("Time for the closing handshake of leave()", {
    ms: 3 * SecondMs,
    per: "joined room",
    past: "leave resolves"
  }),
  clientRoomsTried: count("Full rooms of a type that joinOrCreate and join pass by", {
    max: 32,
    per: "call",
    past: "E_ROOM_FULL"
  }),

  // The service itself.
  drain: span("Time to store every room at shutdown", {
    ms: 20 * SecondMs,
    per: "service",
    past: "the process exits non-zero"
  }),
  roomLostClients: span("Time to store a room whose server goes, until its clients are closed", {
    ms: 750,
    per: "room",
    past: "1012 before the state is stored"
  }),
  roomLost: span("Time to store a room whose server goes", {
    ms: 5 * SecondMs,
    per: "room",
    past: "it keeps the state of its last snapshot"
  }),
  httpAnswer: span("Answer to a request, without its body's way and what has a bound of its own", {
    ms: 5 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  bundleStored: span("Time for the store to take a bundle", {
    ms: 30 * SecondMs,
    per: "deployment",
    past: "E_NOT_READY"
  }),
  storeProbe: span("Time between two looks at whether the store takes writes", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "a full disk is told up to this much late"
  }),
  storeAnswer: span("Answer of the store to somebody who waits at the door", {
    ms: 5 * SecondMs,
    per: "join, or look at the store",
    past: "E_TENANT_WAKING"
  }),
  readyAnswer: span("Answer of the store and the cluster to GET /ready", {
    ms: 2 * SecondMs,
    per: "request",
    past: "E_NOT_READY"
  }),
  storeLook: span("Time between two looks at whether the store answers", {
    ms: SecondMs,
    per: "service",
    past: "an outage is told up to this much late"
  }),
  tablesLook: span("Time between two looks at whether a newer program has changed the tables", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "a program that is too old runs on for up to this much longer"
  }),
  storePauseFirst: span("First pause of a service whose store comes and goes, doubled by each", {
    ms: 200,
    per: "service",
    past: "the store is asked again"
  }),
  storePause: span("Longest pause of a service whose store comes and goes", {
    ms: 5 * SecondMs,
    per: "service",
    past: "the store is asked again"
  }),
  storeSteady: span(
    "Time after which a store that answers does not count as one that comes and goes",
    {
      ms: 10 * SecondMs,
      per: "service",
      past: "the next outage is asked about without a pause"
    }
  ),
  storeLock: span("Time for the database to notice that the service before has ended", {
    ms: 3 * SecondMs,
    per: "service",
    past: "the start is refused"
  }),
  postgresRestarts: count("Ends of the embedded PostgreSQL within restartsWindow", {
    max: 5,
    per: "service",
    past: "the service ends"
  }),
  actorCall: span("Answer of an actor", {
    ms: 30 * SecondMs,
    per: "call",
    past: "E_TENANT_WAKING"
  }),
  moveLook: span("Time between two looks for rooms that are up on an older version", {
    ms: SecondMs,
    per: "deployment",
    past: "they are moved"
  }),
  moveLooks: count("Looks for rooms that are up on an older version", {
    max: 60,
    per: "deployment",
    past: "a room stays on its version until it sleeps"
  }),
  objectKeyBytes: size("Key of a stored object", { max: 512, per: "object", past: "defect" }),
  signingKeysKept: count("Keys for join credentials that are kept ready", {
    max: 1000,
    per: "runner",
    past: "the one that was used the longest ago is made again"
  }),
  deploymentsRead: count("Deployments whose rows are kept in memory", {
    max: 1024,
    per: "runner",
    past: "the one that was read longest ago is read again"
  }),
  bundlesReadBytes: size("Room bundles kept in memory", {
    max: 64 * MiB,
    per: "runner",
    past: "the one that was read longest ago is read again"
  })
} as const satisfies Record<string, Limit>

for (const [name, limit] of Object.entries<Limit>(Limits)) {
  if (limit.kind === "rate" && limit.burst < 1) throw new Error(`Limits.${name}: burst below 1`)
  if (limit.kind === "range" && limit.min > limit.max) throw new Error(`Limits.${name}: empty`)
  if (limit.kind === "count" && !Number.isInteger(limit.max)) throw new Error(`Limits.${name}`)
}
