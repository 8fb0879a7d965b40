(_ target: (identifier) @word (arguments . (alias) @spec @star) (#eq? @word "import")) @import
(_ target: (identifier) @word (arguments . (alias) @spec @nothing) (#eq? @word "use")) @import
