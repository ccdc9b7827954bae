import type { ClientPort } from "../client/ClientPort.ts"

/** Everything outside the program that a replay touches; tests give their own. */
export type ReplayPort = Pick<ClientPort, "fetch" | "elapsedMs" | "after">
