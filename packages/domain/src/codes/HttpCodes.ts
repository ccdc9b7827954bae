import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { sizeText, spanText } from "@atrium/wire/limits/LimitText"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import { AccountLimits } from "../accounts/AccountLimits.ts"
import { HttpLimits } from "../http/HttpLimits.ts"
import { IdentityLimits } from "../identity/IdentityLimits.ts"
import { KvProjectLimits } from "../kv/KvProjectLimits.ts"
import { LoginLimits } from "../logins/LoginLimits.ts"
import { QueueLimits } from "../match/QueueLimits.ts"
import { RoomLimits } from "../rooms/RoomLimits.ts"
import type { CodeTexts } from "./CodeText.ts"

/** Codes of the HTTP API; some of them also end a connection to a room. */
export const httpCodes = {
  E_BAD_REQUEST: {
    means: "The request has a parameter, field or body that the route does not take.",
    why: "A name is misspelt, a value has the wrong type or is out of range, or the body is not JSON.",
    next: "Read the message: it names the field. /docs of the service shows what each route takes."
  },
  E_UNAUTHENTICATED: {
    means:
      "The credential is missing, unknown, revoked, expired, or of the wrong kind for the route.",
    why: "A login has ended, an API key was sent to a route of a login, or a join credential has a wrong signature.",
    next: "Log in again with `atrium login`; for rooms, mint a new token. A project with a JWT secret takes no anonymous identity."
  },
  E_NOT_FOUND: {
    means: "Your credential reaches no such project, or the path does not exist.",
    why: "The project id is wrong, the project belongs to another account, or it was deleted.",
    next: "Compare the id in service.json with `atrium whoami` and the account that made the project."
  },
  E_SCOPE: {
    means: "The API key is valid but does not have the scope that the route needs.",
    why: "The key was minted with rooms:read, and the request changes something.",
    next: "Mint a key with the scope that the message names: `atrium api-keys mint --scopes rooms:write`."
  },
  E_KEY_NOT_FOUND: {
    means: "The project has no API key with this id.",
    why: "The id is of another project, or misspelt.",
    next: "List the keys with `atrium api-keys list`."
  },
  E_ROOM_EXISTS: {
    means: "The new room cannot have this id: a room has it already.",
    why: "The room is awake, asleep, or has stored state that the list does not show any more.",
    next: "Choose another id, or delete that room first."
  },
  E_BRANCH: {
    means: "The room is for trying: a room of the playground, or a branch of another room.",
    why: "What is tried must not change the project: such a room asks the service for nothing, is never public, and refuses the joins of all but test players.",
    next: "Handle it in room code as a call that failed, or try it in project `dev`. To enter, mint a test player."
  },
  E_CLIENT_NOT_FOUND: {
    means: "The room has no client of this id, or has it no more.",
    why: "The client has left since the list was read, or it came back under another id.",
    next: "Read the list of the room's clients again, and take an id of it."
  },
  E_SAVE_NOT_FOUND: {
    means: "The room has no save with this id.",
    why: `Only the newest ${RoomLimits.saveGenerations.max} saves of each version are kept, so an old one may be gone.`,
    next: "List the saves with `atrium rooms saves <room>`."
  },
  E_ORIGIN: {
    means: "The page that asks is of an origin that may not.",
    why: "The origin is not in the project's list, or a page of another origin used the session of a browser.",
    next: "Add the origin to `origins` in service.json and deploy. A backend sends a login token or an API key, no cookie."
  },
  E_LOGIN_PENDING: {
    means: "The login of this device waits for somebody to allow it.",
    why: "Nobody has entered its code yet.",
    next: "Open the address that `atrium login` printed, and allow the login there."
  },
  E_LOGIN_CODE: {
    means: "The code is not, or no longer, that of a login.",
    why: `It is misspelt, ${spanText(LoginLimits.deviceLoginLife)} old, was denied, or was used already.`,
    next: "Begin again with `atrium login`."
  },
  E_INVITATION: {
    means: "The invitation is not, or no longer, valid.",
    why: "It has expired, was withdrawn, or was accepted already.",
    next: "Ask for a new invitation."
  },
  E_INVITATIONS_FULL: {
    means: "The account has as many open invitations as it may have.",
    why: "Earlier invitations were neither accepted nor withdrawn.",
    next: "Withdraw invitations that nobody needs, then invite again."
  },
  E_RATE_LIMITED: {
    means: "More requests, connections, joins or frames came than the limit allows.",
    why: "A loop retries without a pause, or many clients share one address.",
    next: "Wait as long as `retry-after` says. For many players behind one address, raise connectionsPerIpPerMin of the project."
  },
  E_ASSERTION_INVALID: {
    means: "The assertion proves no player to the project.",
    why: "It has expired, its signature does not fit, or its issuer or audience is not one that the project names.",
    next: "Read docs/guide/identity.md, and compare the token's claims with `atrium identity list`."
  },
  E_PROVIDER_UNREACHABLE: {
    means: "The keys of the identity provider could not be read, so the assertion was not judged.",
    why: `The provider's JWKS address does not answer within ${spanText(IdentityLimits.jwksAnswer)}, or answers something else than keys.`,
    next: "Ask again in a few seconds. If it goes on, look at the address in `atrium identity list`."
  },
  E_LINK_CODE: {
    means: "The link code links no device.",
    why: `It is misspelt, over ${spanText(AccountLimits.linkCodeLife)} old, used already, or of another project.`,
    next: "Make a new code on the device that has the account, and type it on the other one."
  },
  E_DEVICE_LIMIT: {
    means: `The account has ${AccountLimits.devices.max} devices, or its project ${AccountLimits.projectDevices.max}: as many as it may have.`,
    why: "Devices that are not used any more were never revoked. The message says of which there are too many.",
    next: "Revoke a device with DELETE /v1/account/devices/:deviceId, then redeem the code again: it is not used up."
  },
  E_DEVICE_NOT_FOUND: {
    means: "The account has no device with this id.",
    why: "It was revoked, or is a device of another account.",
    next: "Read the ids of the account's devices from GET /v1/account/devices."
  },
  E_AUDIENCE_DISABLED: {
    means: "The rooms of the project have no audience.",
    why: "The project has no audienceRole, or its rooms run code.",
    next: "Set audienceRole in service.json of a relay project and deploy."
  },
  E_BOARD_UNKNOWN: {
    means: "The project declares no board of this name.",
    why: "The name is misspelt, or the deploy that declares the board has not been made.",
    next: "Declare the board below boards in service.json and deploy. `atrium project` lists the boards."
  },
  E_TOKEN_NOT_FOUND: {
    means: "The account has no login with this id.",
    why: "It was revoked, or the id is misspelt.",
    next: "Read the ids of the account's logins from GET /v1/me/tokens."
  },
  E_ROOM_IN_USE: {
    means: "The room is awake, or it is a relay room, so it was not deleted.",
    why: "Clients are in the room, or it has not fallen asleep yet.",
    next: "Add --force to send its clients away first. A relay room ends by itself with its last client."
  },
  E_ROOM_STARTED: {
    means: "The game of the room has started, so its public flag does not change any more.",
    why: "The room's code called room.lobby.setStarted(true).",
    next: "Set the flag before the game starts."
  },
  E_EVICT_FAILED: {
    means: "The server that holds the room did not answer, so nothing was deleted.",
    why: "The server is overloaded, or was cut off.",
    next: "Ask again in a few seconds. If it goes on, look at the server that the message names."
  },
  E_METHOD_NOT_ALLOWED: {
    means: "The path exists, but not with this method.",
    why: "A GET was sent where the route takes POST, or the other way around.",
    next: "Use a method that the header `allow` of the answer names."
  },
  E_BODY_TOO_LARGE: {
    means: `The body of the request has more than ${sizeText(HttpLimits.bodyBytes)}.`,
    why: "Data was sent to a route that takes settings only.",
    next: "Send less. Room code is uploaded by `atrium deploy`, which has a limit of its own."
  },
  E_BUNDLE_TOO_LARGE: {
    means: `The bundle of the rooms has more than ${sizeText(BundleLimits.bundleBytes)}.`,
    why: "Room code imports assets or a large library.",
    next: "Import what the rules of the game need, and leave assets to the client."
  },
  E_BUNDLE_INVALID: {
    means: "The bundle does not load, or declares no usable room type.",
    why: "The code throws while it loads, does not compile, or exports no room.",
    next: "Read the message: it is the error of the code. `atrium dev` shows it at each save of a file."
  },
  E_SCHEMA_BREAKING: {
    means: "With this schema the rooms could not read their stored state.",
    why: "A field, entity, message or room type was removed, or a field takes less than before.",
    next: "Keep what the message names and add beside it (docs/guide/schemas.md), or go one of three ways: a migration with `--allow-breaking`, `preRelease` in service.json, or a new room type (docs/guide/migrations.md)."
  },
  E_REHEARSAL_FAILED: {
    means:
      "The migrations of the bundle do not lead every stored state on, and nothing was deployed.",
    why: "A migration throws, takes too long, or makes a state that the new schema does not take, for the rooms that the rehearsal lists.",
    next: "`atrium migrate rehearse` shows each kind of failure with a room and the line of the file. Mend the migration and deploy again."
  },
  E_VERSION_NOT_FOUND: {
    means: "The project has no version of this number.",
    why: "The number is misspelt, or of another project.",
    next: "List the versions with `atrium deployments`."
  },
  E_NO_ROLLBACK: {
    means: "The rollback would change nothing, or there is no version to go back to.",
    why: "The version is current already, the project has one version only, a deploy came between, or a migration between has no way back.",
    next: "List the versions with `atrium deployments`, and name one: `atrium rollback <version>`."
  },
  E_SECRET_EXISTS: {
    means: "The project has a JWT secret already.",
    why: "A secret is shown once, when it is made.",
    next: "Use that secret, or make another one with `atrium keys jwt-secret --rotate`."
  },
  E_DEV_HELD: {
    means: "`atrium dev` of another folder has the project.",
    why: "Two folders would replace each other's rooms at every save.",
    next: "End the other one, or take the project with `atrium dev --take-over`."
  },
  E_SITE_NOT_FOUND: {
    means: "The project has no static site.",
    why: "It never had one, or its site was deleted.",
    next: "Make one with `atrium deploy --static <folder>`."
  },
  E_UPLOAD_NOT_FOUND: {
    means: "The project has no open upload of a site with this id.",
    why: "It was finished, it is over an hour old, or the id is of another project.",
    next: "Run `atrium deploy --static` again: only content that is missing is sent."
  },
  E_LABEL_TAKEN: {
    means: "The site of another project has this label.",
    why: "Labels are unique over the service, because they decide the address.",
    next: "Choose another label: `atrium deploy --static --label <label>`, or `static.label` in service.json."
  },
  E_SITE_FILE: {
    means: "The content of a file is not the one that the upload lists.",
    why: "The file changed while it was read, or its hash is not one of the upload's.",
    next: "Run `atrium deploy --static` again when nothing writes into the folder. The site before is still served."
  },
  E_UPLOAD_INCOMPLETE: {
    means: "Files of the upload have not come yet, so the site was not switched.",
    why: "A connection was cut, or the upload was finished too early.",
    next: "Send the missing files and finish again; `atrium deploy --static` does both."
  },
  E_UPLOADS_FULL: {
    means: "The site and the uploads of the project hold as many bytes as they may.",
    why: "Several large sites were deployed within minutes; what they replaced is kept for a while.",
    next: "Deploy again in a few minutes. An unfinished upload is forgotten after an hour."
  },
  E_SITE_PORTS: {
    means: "Every port that the operator gave for sites has its site.",
    why: "ATRIUM_STATIC_PORTS is a range, and each site has a port of its own.",
    next: "Delete a site that nobody needs, or ask the operator for a larger range."
  },
  E_PARTY_CODE: {
    means: "The code is not, or no longer, that of a party of this queue.",
    why: `A party code lives ${spanText(QueueLimits.partyCodeLife)}, and is for one queue of one project.`,
    next: "Mint another code with POST /match/party. Players who queued with the old one keep waiting."
  },
  E_PARTY_FULL: {
    means: "As many players as the party is for wait in it.",
    why: "The code was given to more players than its `size`, or a player queued from two devices as two players.",
    next: "Mint a code with a larger `size`, at most the seats of the queue's largest team."
  },
  E_QUEUE_NO_TYPE: {
    means: "The service does not know which room a match of this queue is played in.",
    why: "Nothing is deployed, several room types are and none names the queue, or its rooms hold too few players.",
    next: "Say `queue` in the schema of the room type, or raise its `maxClients`, and deploy."
  },
  E_INTERNAL: {
    means: "The service has failed.",
    why: "This is a fault of the service, not of the request.",
    next: "Look in the service's log for the line with the `x-request-id` of the answer."
  },
  E_NOT_READY: {
    means: "The service, its store or its cluster cannot answer now.",
    why: "It is starting, the database is away, or too many deployments wait.",
    next: "Ask again after `retry-after`. /ready and /metrics of the service say more."
  },
  E_ROOM_NOT_FOUND: {
    means: "There is no such room, and no type to make it from.",
    why: "The id is misspelt, the room was deleted, or the join names no room type of the project.",
    next: "List the rooms with `atrium rooms`. To make a room, join with the name of its type."
  },
  E_TENANT_WAKING: {
    means: "The server of the project cannot take the room now.",
    why: "Its memory is spoken for by rooms that are awake, or it is going down.",
    next: "Clients retry by themselves. If it stays, more rooms are awake than the plan has memory for."
  },
  E_CAP_REACHED: {
    means: "A usage cap of the project refuses new work.",
    why: "The meter that the message names has reached its allowance or the owner's ceiling.",
    next: "Raise or clear the ceiling (`atrium caps set roomHours none`), ask the operator for another plan, or wait for the next month."
  },
  E_ROOM_CRASHED: {
    means: `The room's code failed at its start, or ${ClosingLimits.restarts.max} times within ${spanText(ClosingLimits.restartsWindow)}.`,
    why: "Room code throws when it starts, or uses more memory than its size class has. Or the room is in quarantine: no migration leads its state on.",
    next: "Mend the code or the migration and deploy, or go back with `atrium rollback`. The stored state is kept."
  },
  E_REPLAY_OFF: {
    means: "There is no footage of the room.",
    why: "The schema of its type declares no `replay`, or the room sleeps.",
    next: "Add `replay: {}` to the schema and deploy. A clip is made of a room that is awake."
  },
  E_CLIP_DISARMED: {
    means: "The room records nothing, as its state exceeds the ring.",
    why: `The encoded public state has more than ${sizeText(ReplayLimits.keyframeBytes)}.`,
    next: "Make the state smaller. The room records again from the first state that fits."
  },
  E_CLIP_COOLDOWN: {
    means: "The room has made a clip within the last second, or two of its clips are being stored.",
    why: "A room makes at most one clip a second, and two are stored at once, for all callers together.",
    next: "Ask again a second later, or share one clip between all who want it."
  },
  E_CLIP_TOO_LARGE: {
    means: `The clip would have more than ${sizeText(ReplayLimits.clipBytes)} before it is compressed.`,
    why: "The state is large, or much of it changes with each tick.",
    next: "Ask for fewer seconds, or send less: quantised fields take a quarter of the bytes."
  },
  E_KV_VALUE_TOO_LARGE: {
    means: `A value of player KV has more than ${sizeText(KvLimits.kvValueBytes)} as JSON; it was not written.`,
    why: "The game keeps a list under one key, and the list grows.",
    next: "Write its parts under keys of their own."
  },
  E_KV_KEY_TOO_LONG: {
    means: `A key of player KV has more than ${sizeText(KvLimits.kvKeyBytes)}.`,
    why: "The key is made of a text that a player wrote.",
    next: "Use a short name as the key, and keep the text in the value."
  },
  E_KV_PLAYER_ID_TOO_LONG: {
    means: `The id of a player has more than ${sizeText(FrameLimits.playerIdBytes)}, so the player can have no KV.`,
    why: "The text that was given is not the id of a player.",
    next: "Give the client of the room, or its playerId."
  },
  E_KV_KEYS_FULL: {
    means: `The player has ${KvLimits.kvKeys.max} keys, and this would be one more; it was not written.`,
    why: "Keys are made of something that grows, such as a date.",
    next: "Delete keys that the game does not need, or keep several things under one key."
  },
  E_KV_ROWS_FULL: {
    means: `The project has ${KvProjectLimits.kvRows.max} rows of player KV, and this would be one more; it was not written.`,
    why: "Players who never come back have rows, too.",
    next: "Delete what nobody needs: `atrium kv delete <player> <key>`. Keys that exist can still be written."
  },
  E_KV_RATE: {
    means: "The rooms of the project read or write player KV more often than the project may.",
    why: "A room writes at each change, or reads in a loop.",
    next: "Keep what a player has in memory while the player is in the room, and write it now and then and at the end."
  },
  E_KV_KEY_NOT_FOUND: {
    means: "The player has nothing under this key.",
    why: "It was never written, it was deleted, or key or player id are misspelt.",
    next: "List the player's keys with `atrium kv list <player>`."
  }
} as const satisfies CodeTexts
