export { bundleRooms, endBundler, type Bundle, type BundleOptions } from "./bundle/Bundle.ts"
export { bundlePageScript } from "./bundle/PageScript.ts"
export { BundleError } from "./bundle/BundleError.ts"
