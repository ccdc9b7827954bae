import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { sizeText, spanText } from "@atrium/wire/limits/LimitText"
import { PhysicsLimits } from "@atrium/wire/physics/PhysicsLimits"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"

import { AudienceLimits } from "../audience/AudienceLimits.ts"
import { BoardLimits } from "../boards/BoardLimits.ts"
import { ConnectionLimits } from "../connections/ConnectionLimits.ts"
import { RelayLimits } from "../relay/RelayLimits.ts"
import type { CodeTexts } from "./CodeText.ts"

const { chatBytes, chatLines } = ConnectionLimits
const { audienceSeats, audienceSeatsFree } = AudienceLimits

/** Codes inside a connection to a room, at its end, and between a room and its code. */
export const roomCodes = {
  E_BAD_MESSAGE: {
    means: "A message or a call does not fit the schema of the room; it was dropped.",
    why: "Client and room were built from different schemas, or a value is out of its bounds.",
    next: "Build the client from the schema that is deployed. Error frames number the message at fault."
  },
  E_CHAT_TOO_LONG: {
    means: `A chat line has more than ${sizeText(chatBytes)}; it was not sent.`,
    why: "Lines are never cut.",
    next: `Limit the length of the input to ${sizeText(chatBytes)} of UTF-8.`
  },
  E_CHAT_RATE: {
    means: `More chat lines came than ${chatLines.tokens} a second; the line was dropped.`,
    why: `At once ${chatLines.burst} lines may come, then ${chatLines.tokens} a second.`,
    next: "Let the player wait. The room tells it once until a line passes again."
  },
  E_RPC_BUSY: {
    means: "More calls wait for their answer than may.",
    why: "Calls are sent faster than the other side answers them.",
    next: "Wait for an answer before the next call, or send a message, which has no answer."
  },
  E_RPC_FAILED: {
    means: "The handler of the call failed.",
    why: "The code of the handler threw an error that is no refusal of its own.",
    next: "Read the log of the room: it has the error. In `dev` the message is the error, with its place in your sources. To refuse on purpose, throw an RpcError."
  },
  E_RPC_UNKNOWN: {
    means: "The other side has no handler for the call.",
    why: "The schema declares the call, but the client has not registered a handler.",
    next: "Register the handler before the room asks."
  },
  E_VOICE_OFF: {
    means: "The client cannot join a voice call here.",
    why: "The room type declares no `voice`, the client is a viewer, or the operator has turned calls off.",
    next: "Declare `voice` in the schema of the room type and deploy."
  },
  E_VOICE_FULL: {
    means: "The voice call takes no more participants.",
    why: "It has all that the room type declares, or the runner has no free port for one more.",
    next: "Join again when somebody has left. For the ports see docs/operations.md, Voice."
  },
  E_RPC_TIMEOUT: {
    means: "The other side did not answer the call in time.",
    why: "A handler waits for something, or the client is slow or away.",
    next: "Answer sooner, or give the call a longer time. The call may have been carried out."
  },
  E_NOT_STORED: {
    means: "The state could not be stored, so nothing is promised.",
    why: "The store is away or full, or the room ended first.",
    next: "Call again. If it goes on, look at /ready and the service's log."
  },
  E_WRITE_REJECTED: {
    means: "Relay: the write does not fit, and nothing of its frame was written.",
    why: `The frame has more than ${sizeText(RelayLimits.relayFrameBytes)}, the collection or record is unknown, or the value does not fit the schema.`,
    next: "Compare the write with the schema. Viewers cannot write."
  },
  E_NOT_OWNER: {
    means: "Relay: another client owns the record.",
    why: "Only the owner of a record sets or removes it.",
    next: "Ask for the record with own, and write once it is granted."
  },
  E_WRITE_RATE: {
    means: `Relay: more than ${RelayLimits.relayWriteOps.tokens} write operations a second; the whole frame was refused.`,
    why: "Each frame of the game writes every field.",
    next: "Write what changed, and less often."
  },
  E_RECORD_CAP: {
    means: "Relay: the collection has all the records that it takes.",
    why: "Records are added and never removed.",
    next: "Remove records that are over."
  },
  E_STATE_CAP: {
    means: `Relay: the state of the room would have more than ${sizeText(RelayLimits.relayStateBytes)}.`,
    why: "Records hold large values, or too many records stay.",
    next: "Remove records, or hold large values elsewhere."
  },
  E_CLIENT_GONE: {
    means: "The client left before it answered the call.",
    why: "The connection of the player ended.",
    next: "Treat the call as not answered."
  },
  E_SAVE_BUSY: {
    means: "More calls of room.save() wait than may.",
    why: "The room saves at each message.",
    next: "Await room.save(), or leave saving to the service, which stores state by itself."
  },
  E_CALL_BUSY: {
    means: "More in-room calls wait for their answer than may.",
    why: "Room code asks the service faster than it answers.",
    next: "Await a call before the next one."
  },
  E_CALL_RATE: {
    means: "More in-room calls came than the room, or that call, may make.",
    why: "Room code asks the service in every tick.",
    next: "Ask when something has changed, and keep the answer."
  },
  E_CALL_INVALID: {
    means: "The payload of the in-room call is too large, or not what the call takes.",
    why: "A field is missing or has the wrong type.",
    next: "Read the message: it names the field."
  },
  E_CALL_UNKNOWN: {
    means: "The service has no in-room call of that name.",
    why: "The name is misspelt, or the service is older than the room code.",
    next: "Compare the name, and the version of the service."
  },
  E_CALL_TIMEOUT: {
    means: "The service did not answer the in-room call in time; it may have acted.",
    why: "The store is slow or away.",
    next: "Look whether it was done before you call again."
  },
  E_CALL_FAILED: {
    means: "The service failed at the in-room call; it may have acted.",
    why: "This is a fault of the service, or its store is away.",
    next: "Look in the service's log, and call again later."
  },
  E_ROOM_IMPORT: {
    means: "Room code asked for a module that rooms do not have.",
    why: "A room has no Node modules and no network; a library may import one.",
    next: "Remove the import. The message names the module."
  },
  E_PLAYERS_FULL: {
    means:
      "The project keeps as many players as it may; the fields of a new player were not stored.",
    why: "The fields of every player who ever joined are kept.",
    next: "Use ids that stay the same for a player, so that one person is one player."
  },
  E_RATING_QUEUE: {
    means: "The project declares no queue of that name; nothing was rated.",
    why: "The name is misspelt, or the queue is not in the service.json of the project.",
    next: "Declare the queue in service.json and deploy, or leave the queue out."
  },
  E_RATINGS_FULL: {
    means: "The project has as many ratings as it may; nothing of the report was stored.",
    why: "Each player has a rating in each queue in which a result was reported.",
    next: "Report fewer queues, and use ids that stay the same for a player."
  },
  E_BOARD_FULL: {
    means:
      "The boards of the project hold as many scores as they may; a new player's was not stored.",
    why: `All boards, periods and buckets of a project hold ${BoardLimits.boardRows.max.toLocaleString("en")} scores together.`,
    next: "Remove a board, keep fewer periods, or use fewer buckets. Players on a board still score."
  },
  E_PHYSICS_NO_HISTORY: {
    means: "The room keeps no history of its bodies.",
    why: "Its schema declares no `physics`, or no `physics.history`: nothing is kept by default.",
    next: `Declare \`physics: { dimensions, history }\` with up to ${PhysicsLimits.physicsHistory.max} ticks, and deploy.`
  },
  E_RECORDING: {
    means: "A recording of the room runs already.",
    why: "A room has one recording at a time. It goes on when the room is back within a minute.",
    next: "Call `room.replay.stop()` first; it answers with the recording that runs."
  },
  E_EXCERPT_TOO_LONG: {
    means: `The window of the excerpt is longer than ${spanText(ReplayLimits.excerptWindow)}.`,
    why: "`toMs` minus `fromMs` is more than that.",
    next: "Ask for a shorter window, or make a clip."
  },
  E_EXCERPT_COOLDOWN: {
    means: "The room takes excerpts faster than it may.",
    why: `At once ${ReplayLimits.excerpts.burst} excerpts may be taken, then one each second.`,
    next: "Take one excerpt for all who want it, and wait before the next."
  },
  E_EXCERPT_TOO_LARGE: {
    means: `The frames of the excerpt have more than ${sizeText(ReplayLimits.excerptBytes)}.`,
    why: "The state is large, or much of it changes with each tick.",
    next: "Ask for a shorter window."
  },
  E_SCORE_INVALID: {
    means: "The score is not a whole number within the safe range; it was not stored.",
    why: `It is a fraction, NaN or larger than ${Number.MAX_SAFE_INTEGER}, or a sum would become larger.`,
    next: "Round the score before the submit; count in smaller units where sums grow large."
  },
  E_BAD_FRAME: {
    means: "A text frame came, or a frame that is not of the protocol.",
    why: "The client is not of this protocol, or something between changed its bytes.",
    next: "Use @atrium/sdk, or compare your client with docs/protocol.md."
  },
  E_SLOW_CONSUMER: {
    means: "The client reads more slowly than the room writes; it was disconnected.",
    why: "The network is too slow for the state, or the page was in the background.",
    next: "The client reconnects and gets the whole state anew. Send less state if it happens often."
  },
  E_ROOM_RESTARTING: {
    means: "The room or the service restarts; the client comes back by itself.",
    why: "A deploy or a rollback moved the room, its process ended, or the service restarts.",
    next: "Nothing: the client reconnects, and the room has its stored state."
  },
  E_DATA_OUT: {
    means: "The data-out allowance of the project is reached; its rooms are asleep.",
    why: "The project sent as much this month as its plan or its cap allows.",
    next: "Raise the cap or add a card. Rooms keep their state."
  },
  E_ROOM_DELETED: {
    means: "The room was deleted.",
    why: "Somebody deleted it with --force while clients were in it.",
    next: "Join another room."
  },
  E_PROJECT_MISMATCH: {
    means: "The join credential is for another project or room.",
    why: "The project id of the client is not that of the deployed project, or the token names another room.",
    next: "Compare the ids in the client, in service.json and in the token."
  },
  E_HANDSHAKE_TIMEOUT: {
    means: `The client sent no hello within ${spanText(ClosingLimits.handshake)}.`,
    why: "The page was busy or asleep, or the network is very slow.",
    next: "The client retries by itself."
  },
  E_ROOM_FULL: {
    means: "The room has all the clients that it takes.",
    why: `The maxClients of the room type are reached; relay rooms take ${SchemaLimits.maxClientsDefault.max}, on the free plan ${RelayLimits.relayPlayersFree.max}.`,
    next: "Join another room, or raise maxClients in the schema and deploy."
  },
  E_KICKED: {
    means: "An operator removed the client from the room.",
    why: "The owner of the project kicked it, by the API.",
    next: "Do not come back by yourself: ask the game's operator."
  },
  E_AUDIENCE_FULL: {
    means: "The room has all the viewers that it takes.",
    why: `A relay room takes ${audienceSeats.max} viewers, on the free plan ${audienceSeatsFree.max}.`,
    next: "Watch another room, or try again when a viewer has left."
  },
  E_FRAME_TOO_LARGE: {
    means: `A frame has more than ${sizeText(FrameLimits.frameBytes)}.`,
    why: "A message carries a file, or a whole world.",
    next: "Send less at once."
  },
  E_JOIN_REFUSED: {
    means: "The room's own code refused the join, or removed the client.",
    why: "A handler of the room refused the player or failed, or did not answer the join in time.",
    next: "Read the message: it is the room's. The log of the room has errors of its code."
  },
  E_UNFINISHED: {
    means: "Half-sent messages hold too much memory.",
    why: "Clients began large messages and did not end them.",
    next: "The client retries by itself."
  }
} as const satisfies CodeTexts
