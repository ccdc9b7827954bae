/** Bundled beside a schema file, so that the schemas can be described where they are loaded. */
export { describe } from "@atrium/sdk/schema"
