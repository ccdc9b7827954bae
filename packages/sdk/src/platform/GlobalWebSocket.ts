/** The WebSocket of a browser, or of any platform but Node. */
export const platformWebSocket = (): typeof globalThis.WebSocket | undefined => globalThis.WebSocket
