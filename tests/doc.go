package tests // its tests say what it is; this file makes it one that can be built by name
