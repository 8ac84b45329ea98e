"""Commands episodes, bind and profiles."""
