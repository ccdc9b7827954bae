import { SecondMs, MinuteMs, DayMs, count, span } from "@atrium/wire/limits/Limit"

/** Rooms, their rows, alarms, saves and retention. */
export const RoomLimits = {
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
  savesEvery: span("Time after a stored save in which further saves and durable RPCs gather", {
    ms: SecondMs / 10,
    per: "room",
    past: "they are stored together"
  }),
  trafficProjects: count(
    "Projects whose traffic is remembered while none of their rooms is awake",
    {
      max: 10_000,
      per: "runner",
      past: "the one that was awake the longest ago is forgotten"
    }
  ),
  roomIdChars: count("Characters of a room id (D-05)", {
    max: 128,
    per: "room id",
    past: "E_ROOM_NOT_FOUND"
  }),
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
  keyedReads: count("Rooms that are read with API keys in one statement", {
    max: 64,
    per: "statement",
    past: "the next ones are read after it"
  }),
  keyedObjects: count("Stored objects of a room that is read with an API key in one statement", {
    max: 64,
    per: "room",
    past: "key, room and objects are read one after another"
  }),
  keyedAnswer: span("Answer of the statement that reads rooms with API keys", {
    ms: SecondMs,
    per: "statement",
    past: "key, room and objects are read one after another"
  }),
  lobbyRows: count("Rooms that the public registry shows (D-21)", {
    max: 1000,
    per: "project",
    past: "those with the lowest ids are shown"
  }),
  liveRooms: count("Rows of a room list that is told as it changes", {
    max: 20_000,
    per: "list",
    past: "the answer is the list as it is now"
  }),
  liveRoomsLook: span("Time between two looks for changes of a room list", {
    ms: 2 * SecondMs,
    per: "live list",
    past: "a change is told up to this much later"
  }),
  liveRoomsWhole: span("Time between two looks at the whole of a live room list", {
    ms: MinuteMs,
    per: "live list",
    past: "the whole list is compared"
  }),
  listPage: count("Rows of a room list that are written in one turn", {
    max: 500,
    per: "list",
    past: "others have a turn before the next"
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
  moveLook: span("Time between two looks for rooms that are up on an older version", {
    ms: SecondMs,
    per: "deployment",
    past: "they are moved"
  }),
  moveLooks: count("Looks for rooms that are up on an older version", {
    max: 60,
    per: "deployment",
    past: "a room stays on its version until its runner looks, or until it sleeps"
  }),
  oldVersionLook: span("Time between two looks for awake rooms that a deployment has not moved", {
    ms: MinuteMs,
    per: "runner",
    past: "they are moved"
  })
} as const
