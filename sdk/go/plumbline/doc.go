// Domains, private networks, volumes and more of a cloud account, kept true to their declared state.
package plumbline
