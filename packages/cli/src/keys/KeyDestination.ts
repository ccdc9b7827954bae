import { endpointOf } from "@atrium/sdk/client/Endpoint"

/** Where the address of the service was named. */
export type AddressSource = "--url" | "SERVICE_CONTROL_URL" | "ATRIUM_URL" | "default"

/** The address when none is named. */
export const defaultAddress = "http://127.0.0.1:8787"

/** A program that can set a variable must not learn keys by it, so only these names of this machine count. */
const thisMachine: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/**
 * Whether a credential may be sent to an address. Spec: Command-line equivalents; C-74.
 *
 * @returns `afterLogin`: only to the very origin of a control plane that somebody logged in to. To
 * log in over bare http takes `--url http://…`, so that nobody else's variable turns TLS off.
 * Throws as `endpointOf` does.
 */
export const keyDestination = (address: string, source: AddressSource): "yes" | "afterLogin" => {
  const { hostname } = new URL(endpointOf(address).http)
  return source === "--url" || source === "default" || thisMachine.has(hostname)
    ? "yes"
    : "afterLogin"
}

/**
 * The form in which control planes are compared: scheme, host and port, as a request to the address
 * would use them. Throws as `endpointOf` does.
 */
export const originOf = (address: string): string => new URL(endpointOf(address).http).origin
