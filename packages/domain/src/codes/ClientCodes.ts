import type { CodeTexts } from "./CodeText.ts"

/** Codes that the client library says by itself; no frame and no answer carries them. */
export const clientCodes = {
  E_UNREACHABLE: {
    means: "Nothing answers at the address of the service.",
    why: "The service is not running, the address is wrong, or the network is away.",
    next: "Open /health of the address in a browser."
  },
  E_JOIN_TIMEOUT: {
    means: "The service did not answer the join in time.",
    why: "The network is very slow, or the room takes long to start.",
    next: "Join again. If it goes on, read the log of the room."
  },
  E_SILENT: {
    means: "The connection gave no sign of life.",
    why: "The network is away, and nobody has closed the connection.",
    next: "Join again: a client that has been in the room reconnects by itself."
  },
  E_PROTOCOL: {
    means: "An answer is not of the protocol.",
    why: "Another program answers at the address, or client and service are of different versions.",
    next: "Check the address, and update the client library."
  },
  E_SCHEMA_MISMATCH: {
    means: "The client cannot read the schema of the room.",
    why: "The room misses something that the client's schema has, or has another type of value there.",
    next: "Build the client from the schema that is deployed, and load the page anew."
  },
  E_NO_MATCH: {
    means: "The wait in a queue ended without a match.",
    why: "Nobody else came in time, or the player has queued again with another ticket.",
    next: "Queue again, perhaps with a longer `waitMs`. While a ticket waits it says why."
  },
  E_PROJECT_REQUIRED: {
    means: "The client does not know its project.",
    why: "Only at localhost a client goes without one: it is `dev` there.",
    next: "Name the project in the options of the client or in the schema."
  },
  E_TOKEN: {
    means: "The function getToken of the client failed.",
    why: "Your backend did not answer, or refused the player.",
    next: "Read the message: it is the error of getToken."
  },
  E_BAD_TOKEN: {
    means: "The text is not a reconnection token.",
    why: "It was cut, or comes from something else.",
    next: "Keep the token of the room as it is, and join anew without one."
  },
  E_MICROPHONE: {
    means: "The browser gives the page no microphone.",
    why: "The player has refused the microphone, the device has none, or the page is not served over HTTPS.",
    next: "Ask the player to allow the microphone, or join with `microphone: false` to listen only."
  },
  E_DISCONNECTED: {
    means: "The connection ended before the answer came.",
    why: "The network was lost, or the room restarted.",
    next: "The call may have been carried out: look at the state before you call again."
  },
  E_ROOM_RESTARTED: {
    means: "The room was started again before the answer came.",
    why: "Its process ended, and it came back from its stored state.",
    next: "The call may have been carried out: look at the state before you call again."
  },
  E_QUEUE_FULL: {
    means: "Too much waits for the connection; the message was not sent.",
    why: "Messages are sent while the client is reconnecting.",
    next: "Send less, or wait until the client is back (onReconnect)."
  },
  E_LEFT: {
    means: "The room was left, so nothing can be sent to it.",
    why: "The code goes on after leave() or after the end of the connection.",
    next: "Stop sending in onLeave."
  },
  E_NOT_PLAIN: {
    means: "The value is not plain data.",
    why: "It holds a function, a class instance, or refers to itself.",
    next: "Send numbers, texts, bytes, lists and plain objects."
  },
  E_UNKNOWN_NAME: {
    means: "The schema has no message, call or collection of this name.",
    why: "The name is misspelt, or the schema has changed.",
    next: "Compare the name with the schema that the client was built from."
  }
} as const satisfies CodeTexts
